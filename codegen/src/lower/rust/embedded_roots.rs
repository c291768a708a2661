//! The roots that kube derives, as parts of other types.

use std::collections::BTreeSet;

use crate::{
    diag::Diagnostic,
    read::{
        markers::MarkerSet,
        rust::{
            Body, Field, Fields, Generics, Item, Kind, KubeDerive, PathType, SchemaAttrs,
            SchemaMode, SerdeAttrs, Style, Type,
        },
    },
    sparse::Sparse,
};

/// Returns the roots of kinds as types: as kube's derive declares them, their schema has neither
/// metadata nor `apiVersion` and `kind`.
pub(super) fn of(items: &[Item]) -> Vec<Item> {
    let names: BTreeSet<(usize, &str)> = items
        .iter()
        .map(|item| (item.module, item.name.as_str()))
        .collect();
    let kinds = items.iter();
    let kinds = kinds.filter_map(|item| Some((item, item.kube.as_deref()?)));
    // A type of that name is an error of its own.
    let kinds = kinds.filter(|(item, kube)| !names.contains(&(item.module, kube.root_name())));
    kinds.map(|(item, kube)| root(item, kube)).collect()
}

fn root(item: &Item, kube: &KubeDerive) -> Item {
    let name = kube.root_name();
    let mut schema = SchemaAttrs::clone(&item.kube_rules);
    let message = format!("`{name}` has no metadata where it is part of another type");
    schema.findings.push(
        Diagnostic::warning(message)
            .at(
                item.place.clone(),
                "the schema of its root has spec and status only",
            )
            .help(format!(
                "the API server drops the rest: use the spec, `{}`, as the type of the field",
                item.name
            )),
    );
    let mut fields = vec![field(item, "spec", path(item, &item.name))];
    if let Some(spec) = fields.first_mut() {
        spec.serde.flatten = kube.no_spec;
    }
    fields.extend(kube.status.as_deref().map(|status| {
        let mut option = path(item, "Option");
        if let Kind::Path(option) = &mut option.kind {
            option.arguments.push(path(item, status));
        }
        let mut status = field(item, "status", option);
        status.serde.skip_if = true;
        status
    }));
    let derives = match kube.schema {
        SchemaMode::Derived => ["Deserialize", "JsonSchema", "Serialize"].as_slice(),
        SchemaMode::Manual | SchemaMode::Disabled => &["Deserialize", "Serialize"],
    };
    Item {
        name: name.to_owned(),
        place: item.place.clone(),
        extent: item.extent.clone(),
        module: item.module,
        docs: kube.doc.clone().unwrap_or_else(|| item.docs.clone()),
        markers: MarkerSet::default(),
        visible: item.visible,
        public: item.public,
        cfg: item.cfg.clone(),
        derives: derives.iter().map(|&name| name.to_owned()).collect(),
        derive_places: item.derive_places.clone(),
        has_attribute_macros: false,
        clone_if: Vec::new(),
        serde: SerdeAttrs::default(),
        schema: Sparse::from(schema),
        kube_rules: Sparse::default(),
        kube: None,
        is_kube_root: true,
        generics: Generics::default(),
        body: Body::Struct(Fields {
            fields,
            style: Style::Named,
        }),
    }
}

fn field(item: &Item, name: &str, ty: Type) -> Field {
    Field {
        name: name.to_owned(),
        place: item.place.clone(),
        docs: String::new(),
        markers: MarkerSet::default(),
        visible: true,
        conditional: false,
        serde: SerdeAttrs::default(),
        schema: Sparse::default(),
        ty,
    }
}

fn path(item: &Item, path: &str) -> Type {
    Type {
        place: item.place.clone(),
        kind: Kind::Path(PathType {
            global: false,
            segments: path.split("::").map(|it| it.trim().to_owned()).collect(),
            arguments: Vec::new(),
            arguments_text: String::new(),
        }),
    }
}
