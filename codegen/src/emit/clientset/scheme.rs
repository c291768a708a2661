//! `generated/clientset/scheme.rs`: registers every kind of the clientset.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::{
    Emit,
    context::{ident, path},
};

/// ```ignore
/// #[inline]
/// pub fn add_to_scheme(scheme: &mut scheme::Scheme) -> Result<(), scheme::SchemeError> {
///     scheme.register::<crate::apis::cloudnative::v1alpha1::VirtualMachine>()?;
///     Ok(())
/// }
/// ```
pub(super) fn emit(cx: &Emit<'_>) -> TokenStream {
    let runtime = cx.runtime();
    let registrations = cx.api.versions().flat_map(|(group, version)| {
        let module = path(&version.path);
        version.resources.iter().map(move |resource| {
            let feature = cx
                .kind_feature(group, version, resource)
                .or_else(|| cx.feature(group));
            let root = ident(&resource.root);
            match &feature {
                // A `let`, since the formatter does not put an attribute of an expression on its own line.
                Some(feature) => quote!(#feature let _ = scheme.register::<#module::#root>()?;),
                None => quote!(scheme.register::<#module::#root>()?;),
            }
        })
    });
    let unused = (cx.options.group_features || cx.options.kind_features).then(
        || quote!(#[allow(unused_variables, reason = "without any group there are no kinds")]),
    );
    quote! {
        //! The scheme of the clientset: all kinds that have clients.
        use #runtime::scheme;

        /// Registers every kind of the clientset's groups.
        ///
        /// # Errors
        ///
        /// A kind is already registered with another type.
        #unused
        #[inline]
        pub fn add_to_scheme(scheme: &mut scheme::Scheme) -> Result<(), scheme::SchemeError> {
            #(#registrations)*
            Ok(())
        }
    }
}
