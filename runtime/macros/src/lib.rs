//! The derive macro of `codegen-runtime`. It expands to nothing and has no dependencies, to keep
//! its build cost minimal.

use proc_macro::TokenStream;

/// Allows serde's attributes on an API object.
///
/// The generator emits `Serialize` and `Deserialize` of an object, with `apiVersion` and `kind`,
/// and reads `#[serde(…)]` on the object and its fields. rustc accepts these attributes only below
/// a derive that declares them, which this one does.
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
