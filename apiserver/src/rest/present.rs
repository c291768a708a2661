//! Returns objects to the client: whole, as table rows, or as metadata only.

use serde_json::{Map, Value};

use super::Call;
use crate::http::negotiate::View;
use crate::http::respond::{Answer, Content};
use crate::metadata::object::partial;
use crate::registry::Served;
use crate::status::ApiError;
use crate::table::{self, Layout};

/// Returns one object in the representation that the client accepts.
///
/// # Errors
/// 400 for an invalid `includeObject`.
pub(crate) fn present(call: &Call, code: u16, object: &Value) -> Result<Answer, ApiError> {
    let document = shown(call, call.served.layout(), object)?;
    let is_custom = call.served.resource.is_custom() && call.accepted.view == View::Whole;
    let content = match is_custom {
        true => Content::Custom(document, call.accepted.format),
        false => Content::Document(document, call.accepted.format),
    };
    Ok(Answer::new(code, content))
}

/// Returns an object in the view that the client accepts; `layout` is that of its table.
///
/// # Errors
/// 400 for an invalid `includeObject`.
pub(super) fn shown(call: &Call, layout: Layout<'_>, object: &Value) -> Result<Value, ApiError> {
    let mut document = match call.accepted.view {
        View::Whole => object.clone(),
        View::Metadata | View::MetadataList => partial(object),
        View::Table => {
            let include = table::Include::parse(call.query.text("includeObject"))?;
            let mut meta = Map::new();
            if let Some(version) = object["metadata"].get("resourceVersion") {
                meta.insert("resourceVersion".into(), version.clone());
            }
            table::document(
                layout,
                std::slice::from_ref(object),
                include,
                Value::Object(meta),
                table::Header::Shown,
            )
        }
    };
    call.accepted.meta.convert(&mut document);
    Ok(document)
}

/// Returns the kind and apiVersion of a list in a representation.
pub(crate) fn list_type(served: &Served, view: View) -> (String, String) {
    match view {
        View::Whole => (served.resource.list_kind.clone(), served.api_version()),
        View::Metadata | View::MetadataList => (
            "PartialObjectMetadataList".to_owned(),
            "meta.k8s.io/v1".to_owned(),
        ),
        View::Table => ("Table".to_owned(), "meta.k8s.io/v1".to_owned()),
    }
}
