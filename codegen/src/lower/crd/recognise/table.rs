//! The recognisable types, with indexes to find candidates for a schema.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::OnceLock,
};

use crate::{
    builtin::{self, OpenapiStruct, Written, below_openapi, openapi_structs, uses},
    kubernetes::KubernetesVersion,
    model::{ExternalType, Field, KnownType, TypeKind, TypeRef, Validation},
};

/// A type of k8s-openapi, as defined in the sources of k8s.io.
#[derive(Debug)]
pub(super) struct Kubernetes {
    /// The Rust path relative to `k8s_openapi`.
    pub(super) below: Vec<&'static str>,
    pub(super) placement: Placement,
    listed: OpenapiStruct,
    /// Read on first use, since most are never compared with a schema.
    definition: OnceLock<Definition>,
}

/// The definition of a struct of k8s-openapi.
#[derive(Debug, Default)]
pub(super) struct Definition {
    pub(super) docs: String,
    pub(super) validation: Validation,
    /// The fields by JSON name, limited to those in every permitted Kubernetes version.
    pub(super) fields: BTreeMap<String, KubernetesField>,
}

impl Definition {
    fn of(listed: OpenapiStruct) -> Self {
        let Some(def) = builtin::definition(&below_openapi(listed.path)) else {
            return Self::default();
        };
        let TypeKind::Struct(body) = def.kind else {
            return Self::default();
        };
        let written: BTreeMap<_, _> = listed.fields().collect();
        let fields = body.fields.into_iter().filter_map(|field| {
            let written = *written.get(field.json_name.as_str())?;
            Some((field.json_name.clone(), KubernetesField { field, written }))
        });
        Self {
            docs: def.docs,
            validation: def.validation,
            fields: fields.collect(),
        }
    }
}

/// Where a type can be recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placement {
    Anywhere,
    /// Only in fields of other types.
    WithinOthers,
    /// In fields of other types, and where a schema has exactly these properties.
    With(&'static [&'static str]),
}

impl Placement {
    fn of(path: &str) -> Self {
        match path {
            // `ResourceRequirements` had the same fields in older releases.
            "api/core/v1/VolumeResourceRequirements" => Self::WithinOthers,
            // The properties that controller-gen lists for embedded metadata.
            "apimachinery/pkg/apis/meta/v1/ObjectMeta" => {
                Self::With(&["annotations", "finalizers", "labels", "name", "namespace"])
            }
            _ => Self::Anywhere,
        }
    }
}

#[derive(Debug)]
pub(super) struct KubernetesField {
    pub(super) field: Field,
    /// Whether k8s-openapi can omit it.
    pub(super) written: Written,
}

impl KubernetesField {
    /// Whether it is a string that k8s-openapi always writes but Go omits when empty.
    pub(super) fn is_optional_text(&self) -> bool {
        builtin::is_optional_text(&self.field, self.written)
    }
}

impl Kubernetes {
    /// Its documentation, rules and fields.
    pub(super) fn definition(&self) -> &Definition {
        self.definition.get_or_init(|| Definition::of(self.listed))
    }

    /// The name of the type.
    pub(super) fn name(&self) -> &'static str {
        self.below.last().copied().unwrap_or_default()
    }

    fn known(&self) -> Option<KnownType> {
        KnownType::at(&self.below)
    }

    /// Whether it is `ObjectMeta`.
    pub(super) fn is_metadata(&self) -> bool {
        self.known() == Some(KnownType::ObjectMeta)
    }

    /// Whether it is `metav1.Condition`, whose times the codec preserves and which does not
    /// implement `Default`.
    pub(super) fn is_condition(&self) -> bool {
        self.known() == Some(KnownType::Condition)
    }

    /// The type as referenced by fields.
    pub(super) fn reference(&self) -> TypeRef {
        match self.known() {
            Some(known) => TypeRef::Known(known),
            None => {
                let segments = ["k8s_openapi"].iter().chain(&self.below);
                let segments = segments.map(|&segment| segment.to_owned()).collect();
                TypeRef::External(ExternalType::new(segments))
            }
        }
    }
}

/// All recognisable types.
#[derive(Debug, Default)]
pub(super) struct Table {
    types: Vec<Kubernetes>,
    by_path: HashMap<String, usize>,
    /// Declarations of named field types other than structs, computed on first use and shared by
    /// many schemas.
    others: HashMap<String, OnceLock<Option<Declared>>>,
    by_field: HashMap<&'static str, Vec<usize>>,
    /// The types used for fields with a name, in lower case.
    by_use: HashMap<&'static str, BTreeSet<usize>>,
}

/// A named type that is not a struct: its underlying type, and its rules.
type Declared = (TypeRef, Validation);

/// The type of a field of a Kubernetes type.
pub(super) enum Target<'t, 'r> {
    Struct(&'t Kubernetes),
    /// An unnamed type.
    Plain(&'r TypeRef),
    /// A named type other than a struct, with its declaration.
    Other(Cow<'t, Declared>),
    /// A type that cannot be recognised.
    None,
}

impl Table {
    /// Returns the table for a Kubernetes version and later ones, built on first use.
    pub(super) fn get(version: KubernetesVersion) -> &'static Self {
        static TABLES: [OnceLock<Table>; KubernetesVersion::COUNT] =
            [const { OnceLock::new() }; KubernetesVersion::COUNT];
        TABLES[version.index()].get_or_init(|| Self::read(version))
    }

    fn read(version: KubernetesVersion) -> Self {
        let mut table = Self::default();
        for listed in openapi_structs(version) {
            let index = table.types.len();
            for (name, _) in listed.fields() {
                table.by_field.entry(name).or_default().push(index);
            }
            table.by_path.insert(below_openapi(listed.path), index);
            table.types.push(Kubernetes {
                below: listed.path.split('/').collect(),
                placement: Placement::of(listed.path),
                listed,
                definition: OnceLock::new(),
            });
        }
        for (path, fields) in uses(version) {
            let path = below_openapi(path);
            let Some(&used) = table.by_path.get(&path) else {
                table.others.insert(path, OnceLock::new());
                continue;
            };
            for field in fields {
                table.by_use.entry(field).or_default().insert(used);
            }
        }
        table
    }

    /// Returns the types that have all of the fields.
    pub(super) fn with_fields<'t, 'n>(
        &'t self,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<&'t Kubernetes> {
        // Most objects have a property that no Kubernetes type has.
        let lists = names.map(|name| self.by_field.get(name).map(Vec::as_slice));
        let mut lists: Vec<&[usize]> = lists.collect::<Option<_>>().unwrap_or_default();
        lists.sort_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else {
            return Vec::new();
        };
        let everywhere = shortest
            .iter()
            .filter(|index| others.iter().all(|list| list.binary_search(index).is_ok()));
        everywhere
            .filter_map(|&index| self.types.get(index))
            .collect()
    }

    /// Whether exactly one type has a field with the name.
    pub(super) fn is_of_one_type(&self, name: &str) -> bool {
        self.by_field
            .get(name)
            .is_some_and(|types| types.len() == 1)
    }

    /// Resolves the type of a field.
    pub(super) fn target<'r>(&self, ty: &'r TypeRef) -> Target<'_, 'r> {
        let Some(path) = ty.path() else {
            return Target::Plain(ty);
        };
        if let Some(&index) = self.by_path.get(&path) {
            return self.types.get(index).map_or(Target::None, Target::Struct);
        }
        if let TypeRef::Known(_) = ty {
            return Target::Plain(ty);
        }
        let declared = match self.others.get(&path) {
            Some(known) => known
                .get_or_init(|| declared(&path))
                .as_ref()
                .map(Cow::Borrowed),
            None => declared(&path).map(Cow::Owned),
        };
        declared.map_or(Target::None, Target::Other)
    }

    /// Whether Kubernetes uses the type for a property with the name, or with its last words:
    /// `volumeMounts`, `extraVolumeMounts`.
    pub(super) fn is_used_as(&self, one: &Kubernetes, property: &str) -> bool {
        let starts = property
            .char_indices()
            .filter(|(at, c)| *at == 0 || c.is_ascii_uppercase());
        starts.map(|(at, _)| &property[at..]).any(|words| {
            let words = words.to_lowercase();
            let uses = self.by_use.get(words.as_str()).or_else(|| {
                let plural = format!("{words}s");
                self.by_use.get(plural.as_str())
            });
            let indices = uses.into_iter().flatten();
            let mut types = indices.filter_map(|&index| self.types.get(index));
            words == one.name().to_lowercase() || types.any(|used| used.below == one.below)
        })
    }
}

/// Returns the declaration of the named type at a path, unless it is a struct.
fn declared(path: &str) -> Option<Declared> {
    let def = builtin::definition(path)?;
    match def.kind {
        TypeKind::Alias(alias) => Some((alias.target, def.validation)),
        TypeKind::Enum(_) => Some((TypeRef::String, def.validation)),
        _ => None,
    }
}
