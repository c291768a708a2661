//! The derive of `codegen-runtime`. It expands to nothing and has no dependencies, so that it costs a build next to nothing.

use proc_macro::TokenStream;

/// Lets an API object carry serde's attributes.
///
/// The generator writes `Serialize` and `Deserialize` of an object, with `apiVersion` and `kind`; it reads `#[serde(…)]` on
/// the object and its fields. rustc accepts these attributes only below a derive that declares them, as this one does. It
/// expands to nothing.
///
/// ```ignore
/// // +genclient
/// #[derive(Debug, Default, codegen_runtime::ApiObject)]
/// pub struct Route {
///     pub metadata: ObjectMeta,
///     #[serde(rename = "spec")]
///     pub wanted: RouteSpec,
/// }
/// ```
#[proc_macro_derive(ApiObject, attributes(serde))]
pub fn api_object(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
