//! Lowering: from what readers saw to the model, where every name is decided.

pub mod crd;
pub mod rust;

use crate::{
    diag::Diagnostics,
    model::{ApiSet, CustomMethod, KnownType, TypeRef, Verb},
    options::Options,
    read::Read,
};

/// Builds the model from everything read; groups, versions and resources come out sorted. With it come the warnings of this
/// stage and of the readers.
///
/// # Errors
///
/// Every finding, if one stops generation.
pub fn lower(read: Read, options: &Options) -> Result<(ApiSet, Diagnostics), Diagnostics> {
    let mut diagnostics = read.warnings;
    let mut api = ApiSet::default();
    rust::lower(&read.rust, options, &mut api, &mut diagnostics);
    crd::lower(read.crds, options, &mut api, &mut diagnostics);
    diagnostics.finish_with_warnings(api)
}

/// The methods of the scale subresource, as client-gen's users write them by hand.
pub(crate) fn scale_methods() -> Vec<CustomMethod> {
    let scale = || Some(TypeRef::Known(KnownType::Scale));
    let method = |name: &str, verb, input, result| CustomMethod {
        name: name.to_owned(),
        verb,
        subresource: Some("scale".to_owned()),
        input,
        result,
    };
    vec![
        method("get_scale", Verb::Get, None, scale()),
        method("update_scale", Verb::Update, scale(), scale()),
        method("patch_scale", Verb::Patch, None, scale()),
    ]
}
