//! What codegen.toml says of fields of CRDs, where no marker can stand.

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{ApiSet, Origin, TypeDef, TypeKind, Version},
    options::CrdField,
};

/// Gives the fields what is said of them. A field that no CRD has is an error.
pub(in crate::lower) fn apply(
    fields: &[CrdField],
    api: &mut ApiSet,
    diagnostics: &mut Diagnostics,
) {
    for field in fields {
        let group = field.group.as_deref().map(|name| format!(" of {name}"));
        let mut found = Err(format!(
            "no CRD{} has {} in {}",
            group.unwrap_or_default(),
            field.kind,
            field.version
        ));
        let is_group = |name: &str| field.group.as_deref().is_none_or(|group| group == name);
        for group in api.groups.iter_mut().filter(|it| is_group(&it.name)) {
            let of_crd = |it: &&mut Version| it.origin == Origin::Crd && it.name == field.version;
            for version in group.versions.iter_mut().filter(of_crd) {
                let mut kinds = version.resources.iter();
                let Some(resource) = kinds.find(|it| it.kind == field.kind) else {
                    continue;
                };
                let root = resource.root.clone();
                let marked = mark(&mut version.types, root, field);
                if found.is_err() {
                    found = marked;
                }
            }
        }
        if let Err(message) = found {
            let help = "name a kind, one of its versions, and the properties that lead to the field, such as `spec.size`";
            let error = Diagnostic::error(message).help(help);
            diagnostics.push(error.at(field.place.clone(), ""));
        }
    }
}

/// Marks the field at the path below a type; items of lists and values of maps are transparent.
fn mark(types: &mut [TypeDef], root: String, field: &CrdField) -> Result<(), String> {
    let mut owner = root;
    let mut segments = field.path.split('.').peekable();
    while let Some(name) = segments.next() {
        let def = types.iter_mut().find(|def| def.name == owner);
        let fields = match def.map(|def| &mut def.kind) {
            Some(TypeKind::Struct(def)) => def.fields.as_mut_slice(),
            _ => &mut [],
        };
        let Some(found) = fields.iter_mut().find(|it| it.json_name == name) else {
            return Err(format!(
                "{} of {} has no field `{}`: there is no `{name}`",
                field.kind, field.version, field.path
            ));
        };
        if segments.peek().is_none() {
            let said = found.conversion.get_or_insert_default();
            let more = field.conversion.clone();
            said.renamed_from.extend(more.renamed_from);
            said.moved_from.extend(more.moved_from);
            said.lossy = more.lossy.or(said.lossy.take());
            said.place = Some(field.place.clone());
            return Ok(());
        }
        let Some(inner) = found.ty.local() else {
            return Err(format!(
                "the type of `{name}` in {} of {} is not generated, so nothing can be said of `{}`",
                field.kind, field.version, field.path
            ));
        };
        owner = inner.to_owned();
    }
    Ok(())
}
