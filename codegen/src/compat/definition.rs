//! A CRD with its origin, and the lines of its parts.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use kube_crd_diff::Finding;
use serde_json::Value;

use super::twice;
use crate::{
    diag::{Diagnostics, Place},
    model::{ApiSet, Field, TypeDef, TypeKind, TypeRef},
    read::crd::raw::Located,
    source::Source,
};

/// Where a CRD comes from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// The n-th CRD of a YAML file.
    Yaml(Arc<YamlFile>, usize),
    /// Types in Rust or Go.
    Types(Arc<ApiSet>),
}

/// A file of CRDs. Places are read when the first of its CRDs asks for one, once for all of them: a
/// file may have thousands.
#[derive(Debug)]
pub(crate) struct YamlFile {
    source: Source,
    located: OnceLock<Located>,
}

impl YamlFile {
    pub(crate) const fn new(source: Source) -> Self {
        Self {
            source,
            located: OnceLock::new(),
        }
    }

    fn located(&self) -> &Located {
        self.located.get_or_init(|| Located::read(&self.source))
    }
}

/// A CRD.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// It, in the form of v1.
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// The CRDs of one side, and objects that were beside them.
#[derive(Debug, Default)]
pub(crate) struct Set {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) samples: Vec<Value>,
}

/// A line of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Set {
    /// Adds those of another input.
    pub(crate) fn extend(&mut self, other: Self) {
        self.definitions.extend(other.definitions);
        self.samples.extend(other.samples);
    }

    /// The CRDs by name; equal ones count once.
    ///
    /// # Errors
    ///
    /// Two of one name that differ.
    pub(crate) fn by_name(&self) -> Result<BTreeMap<String, &Definition>, Diagnostics> {
        let mut found: BTreeMap<String, &Definition> = BTreeMap::new();
        let mut diagnostics = Diagnostics::new();
        for definition in &self.definitions {
            let name = definition.name();
            match found.get(&name) {
                Some(known) if known.value != definition.value => {
                    diagnostics.push(twice(&name, known, definition));
                }
                Some(_) => {}
                None => {
                    found.insert(name, definition);
                }
            }
        }
        diagnostics.finish(found)
    }
}

impl Definition {
    /// The name of the CRD (`widgets.example.com`).
    pub(crate) fn name(&self) -> String {
        let text = |pointer: &str| {
            let found = self.value.pointer(pointer).and_then(Value::as_str);
            found.unwrap_or_default().to_owned()
        };
        format!("{}.{}", text("/spec/names/plural"), text("/spec/group"))
    }

    /// Its input in messages.
    pub(crate) fn shown(&self) -> String {
        match &self.origin {
            Origin::Yaml(file, _) => file.source.name.clone(),
            Origin::Types(_) => "types".to_owned(),
        }
    }
}

/// The lines of a CRD's parts.
pub(crate) enum Places<'d> {
    Yaml(&'d YamlFile, usize),
    Types(&'d ApiSet, &'d Definition),
}

impl<'d> Places<'d> {
    pub(crate) fn of(definition: &'d Definition) -> Self {
        match &definition.origin {
            Origin::Yaml(file, index) => Self::Yaml(file, *index),
            Origin::Types(api) => Self::Types(api, definition),
        }
    }

    /// The line of a finding.
    pub(super) fn spot(&self, finding: &Finding, pointer: &[String]) -> Option<Spot> {
        let found = self.place(&finding.version, &finding.path, pointer)?;
        found.place.as_ref().map(Spot::of)
    }

    /// The field of a version's types that a path leads to.
    pub(crate) fn field(&self, version: &str, path: &str) -> Option<&Field> {
        match self {
            Self::Yaml(..) => None,
            Self::Types(api, definition) => declared(api, definition, version, path)?.field,
        }
    }

    /// Where a field of a version is declared, or the value that the keys lead to in YAML.
    pub(crate) fn place(
        &self,
        version: &str,
        path: &str,
        pointer: &[String],
    ) -> Option<Declared<'_>> {
        match self {
            Self::Yaml(file, index) => Some(Declared {
                place: Some(file.located().place(&file.source, *index, pointer)?),
                exact: true,
                field: None,
            }),
            Self::Types(api, definition) => declared(api, definition, version, path),
        }
    }
}

impl Spot {
    /// The start of a place.
    pub(crate) fn of(place: &Place) -> Self {
        let (line, column) = place.line_column();
        Self {
            file: place.file.to_string(),
            line,
            column,
        }
    }
}

/// Where a field is declared.
#[derive(Clone, Debug)]
pub(crate) struct Declared<'a> {
    /// Its place, or that of the innermost type or field around it that has one.
    pub(crate) place: Option<Place>,
    /// Whether it is a field of the version's own types, rather than of a type from elsewhere.
    pub(crate) exact: bool,
    /// The field, if the path leads to one.
    field: Option<&'a Field>,
}

fn declared<'a>(
    api: &'a ApiSet,
    definition: &Definition,
    version_name: &str,
    field_path: &str,
) -> Option<Declared<'a>> {
    let group = definition.value.pointer("/spec/group")?.as_str()?;
    let plural = definition.value.pointer("/spec/names/plural")?.as_str()?;
    let of_group = api.versions().filter(|(it, _)| it.name == group);
    let of_kind = of_group.filter_map(|(_, version)| {
        let mut resources = version.resources.iter();
        Some((version, resources.find(|it| it.plural == plural)?))
    });
    let of_kind: Vec<_> = of_kind.collect();
    let own = of_kind
        .iter()
        .find(|(version, _)| version.name == version_name);
    let (version, resource) = own.or_else(|| of_kind.first())?;
    let named = |name: &str| version.types.iter().find(|def| def.name == name);
    let mut def: Option<&TypeDef> = named(&resource.root);
    let mut place = def.and_then(|def| def.declared.place().cloned());
    // Keys of the definition are no fields.
    let path = if own.is_some() { field_path } else { "" };
    let (mut exact, mut found) = (true, None);
    for step in path.split('.').filter(|step| !step.is_empty()) {
        let name = step.trim_end_matches("[]").trim_end_matches("[*]");
        let body = match def.map(|def| &def.kind) {
            Some(TypeKind::Struct(body)) => Some(body),
            _ => None,
        };
        let fields = body.into_iter().flat_map(|body| &body.fields);
        let Some(field) = fields.into_iter().find(|field| field.json_name == name) else {
            (exact, found) = (false, None);
            break;
        };
        found = Some(field);
        place = field.declared.place().cloned().or(place);
        def = local(&field.ty).and_then(named);
    }
    Some(Declared {
        place,
        exact,
        field: found,
    })
}

/// The name of the version's type that a reference leads to.
fn local(ty: &TypeRef) -> Option<&str> {
    match ty {
        TypeRef::Local(name) => Some(name),
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Optional(inner)
        | TypeRef::Boxed(inner) => local(inner),
        _ => None,
    }
}
