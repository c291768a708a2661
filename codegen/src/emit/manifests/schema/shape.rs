//! Schemas of types.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    DESCRIPTION, PRESERVE, RULES, RUST_TIMES, Schema,
    integers::{integer, whole_number},
    object::{metadata_may_be_missing, of_object},
};
use crate::{
    builtin,
    diag::{Diagnostics, Place},
    emit::{
        docs::describe::{Blank, description, of_rustdoc},
        manifests::Manifests,
    },
    model::{
        ApiSet, EnumDef, Field, KnownType, Marshals, Origin, Resource, StructDef, TypeDef,
        TypeKind, TypeRef, Version,
    },
    options::Compat,
};

/// The maximum nesting depth of types. Instances of a generic type that contains another instance of itself would never end.
const MOST_DEEP: usize = 100;

/// Builds the schemas of types, each once.
pub(in crate::emit::manifests) struct Shapes<'a> {
    pub(super) api: &'a ApiSet,
    pub(super) manifests: &'a Manifests,
    pub(super) compat: Compat,
    /// The finished schemas of named types, by path.
    pub(super) made: BTreeMap<String, Arc<Schema>>,
    /// The number of nested schemas in finished ones that nest any, by address.
    pub(super) parts: BTreeMap<usize, u64>,
    /// Whether the limit of types was reported.
    pub(super) is_crowded: bool,
    /// The named types in progress, outermost first.
    open: Vec<String>,
    /// Whether the type in progress embeds a type that contains it, whose fields it therefore lacks.
    lacks_fields: bool,
    /// Whether the use of the next named type keeps unknown fields, so that nothing is lost if the type contains itself.
    pub(super) keeps_fields: bool,
    /// Whether kube's derive declares the kind.
    pub(super) is_kube: bool,
    /// The arguments of generic types in progress, innermost last.
    pub(super) instances: Vec<BTreeMap<String, TypeRef>>,
    pub(in crate::emit::manifests) diagnostics: Diagnostics,
}

/// The scope in which types are looked up.
#[derive(Clone, Copy)]
pub(in crate::emit::manifests) struct Lookup<'s> {
    pub(super) types: &'s [TypeDef],
    /// Path of the module.
    pub(super) path: &'s str,
    /// The kinds among the types.
    pub(super) resources: &'s [Resource],
    /// Whether the types come from Rust, rather than Go.
    pub(super) rust: bool,
}

impl<'s> Lookup<'s> {
    /// The types of a version.
    pub(in crate::emit::manifests) fn of(version: &'s Version) -> Self {
        Self {
            types: &version.types,
            path: &version.path,
            resources: &version.resources,
            rust: version.origin == Origin::Rust,
        }
    }
}

/// The subject of a finding about a type: the field, by name and by source position.
#[derive(Clone, Copy)]
pub(super) struct At<'s> {
    pub(super) what: &'s str,
    pub(super) place: Option<&'s Place>,
}

impl<'s> At<'s> {
    /// The type itself.
    pub(super) fn of(def: &'s TypeDef) -> Self {
        Self {
            what: &def.name,
            place: def.declared.place(),
        }
    }
}

impl<'a> Shapes<'a> {
    pub(in crate::emit::manifests) fn new(
        api: &'a ApiSet,
        manifests: &'a Manifests,
        compat: Compat,
    ) -> Self {
        Self {
            api,
            manifests,
            compat,
            made: BTreeMap::new(),
            parts: BTreeMap::new(),
            is_crowded: false,
            open: Vec::new(),
            lacks_fields: false,
            keeps_fields: false,
            is_kube: false,
            instances: Vec::new(),
            diagnostics: Diagnostics::new(),
        }
    }

    /// The findings so far.
    pub(in crate::emit::manifests) fn into_diagnostics(self) -> Diagnostics {
        self.diagnostics
    }

    /// The schema of a root type as in a CRD, where `metadata` has no properties.
    pub(in crate::emit::manifests) fn root(&mut self, def: &TypeDef, scope: Lookup<'_>) -> Schema {
        self.is_kube = def.item.as_ref().is_some_and(|item| item.kube_derive);
        let mut schema = Schema::clone(&self.named(def, scope));
        if def.code().is_some() {
            return schema;
        }
        let metadata = Schema::of_type("object").into();
        schema.properties.insert("metadata".to_owned(), metadata);
        // In Go, the JSON tag and markers decide.
        if scope.rust || metadata_may_be_missing(def) {
            schema.required.remove("metadata");
        }
        schema
    }

    /// The schema of a type, without the constraints at its use.
    pub(super) fn of(&mut self, ty: &TypeRef, scope: Lookup<'_>, at: At<'_>) -> Arc<Schema> {
        let exact = !scope.rust || self.compat == Compat::ControllerGen;
        let schema = match ty {
            TypeRef::Bool => Schema::of_type("boolean"),
            TypeRef::Int32 => integer("int32"),
            TypeRef::Int64 => integer("int64"),
            TypeRef::Integer(name) => whole_number(name, exact),
            TypeRef::Float | TypeRef::Float32 => self.float(at),
            TypeRef::String => Schema::of_type("string"),
            TypeRef::Any => Schema::default().with(PRESERVE, true),
            TypeRef::Known(KnownType::ObjectMeta) if self.is_kube => return self.object_meta(at),
            TypeRef::Known(known) => {
                let embedded = self.manifests.embedded_object_meta;
                match Schema::of_known(*known, embedded) {
                    Some(schema) => schema,
                    None => return self.foreign(ty, at),
                }
            }
            TypeRef::Local(name) => match scope.types.iter().find(|def| def.name == *name) {
                Some(def) => return self.named(def, scope),
                None => self.unknown(name, None, at),
            },
            TypeRef::External(external) => match self.argument(external) {
                Some(argument) => return self.of(&argument, scope, at),
                None if external.segments == ["either", "Either"] => {
                    self.either(&external.instance, scope, at)
                }
                None => match external.generic_type(scope.types) {
                    Some(def) => return self.instance(def, external, scope),
                    None => return self.foreign(ty, at),
                },
            },
            TypeRef::Verbatim(text) => self.unknown(text, None, at),
            TypeRef::List(inner) => Schema {
                items: Some(self.of(inner, scope, at)),
                ..Schema::of_type("array")
            },
            TypeRef::Map(inner) => Schema {
                additional: Some(self.of(inner, scope, at)),
                ..Schema::of_type("object")
            },
            TypeRef::Optional(inner) if scope.rust => {
                Schema::clone(&self.of(inner, scope, at)).with("nullable", true)
            }
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => return self.of(inner, scope, at),
        };
        Arc::new(schema)
    }

    /// The metadata of embedded objects, as kube's own CRD has it: whole, since the API server drops
    /// what the schema lacks.
    fn object_meta(&mut self, at: At<'_>) -> Arc<Schema> {
        let known = KnownType::ObjectMeta;
        let path = &format!("{}::{}", known.module(), known.name());
        match builtin::definition_in(path, self.manifests.types_version) {
            Some(def) => self.builtin(&def, path),
            None => Arc::new(self.unknown(path, None, at)),
        }
    }

    /// The schema of a type of another module.
    fn foreign(&mut self, ty: &TypeRef, at: At<'_>) -> Arc<Schema> {
        let path = ty.path().unwrap_or_default();
        if let Some(schema) = Schema::of_foreign(&path) {
            return Arc::new(schema);
        }
        let api = self.api;
        if let Some(def) = api.foreign_def(ty) {
            let module = path.rsplit_once("::").map_or("", |(module, _)| module);
            let version = api
                .versions()
                .map(|(_, version)| version)
                .find(|version| version.path == module);
            let package = api.packages.iter().find(|package| package.path == module);
            let scope = match (version, package) {
                (Some(version), _) => Lookup::of(version),
                (None, Some(package)) => Lookup {
                    types: &package.types,
                    path: &package.path,
                    resources: &[],
                    rust: false,
                },
                (None, None) => Lookup {
                    types: &[],
                    path: module,
                    resources: &[],
                    rust: false,
                },
            };
            return self.named(def, scope);
        }
        if let Some(def) = builtin::definition_in(&path, self.manifests.types_version) {
            return self.builtin(&def, &path);
        }
        let missing = match ty {
            TypeRef::External(external) => external.missing.as_deref(),
            _ => None,
        };
        if let Some((name, fields)) = RUST_TIMES.iter().find(|(name, _)| *name == path)
            && self.is_kube
        {
            return Arc::new(self.rust_time(name, *fields, at));
        }
        Arc::new(self.unknown(&path, missing, at))
    }

    /// The schema of a type of Kubernetes, by its path.
    fn builtin(&mut self, def: &TypeDef, path: &str) -> Arc<Schema> {
        let scope = Lookup {
            types: &[],
            path: path.rsplit_once("::").map_or("", |(module, _)| module),
            resources: &[],
            rust: false,
        };
        self.named(def, scope)
    }

    /// The schema of a named type, with its documentation and rules.
    pub(super) fn named(&mut self, def: &TypeDef, scope: Lookup<'_>) -> Arc<Schema> {
        let path = format!("{}::{}", scope.path, def.name);
        self.named_as(path, def, scope)
    }

    /// [`named`](Self::named), built once per path.
    pub(super) fn named_as(
        &mut self,
        path: String,
        def: &TypeDef,
        scope: Lookup<'_>,
    ) -> Arc<Schema> {
        let keeps_fields = std::mem::take(&mut self.keeps_fields);
        if let Some(schema) = self.made.get(&path) {
            return Arc::clone(schema);
        }
        if self.open.contains(&path) {
            return Arc::new(self.contained(def, keeps_fields));
        }
        if self.open.len() > MOST_DEEP {
            let what = format!("nests without end, or deeper than {MOST_DEEP} types");
            return Arc::new(self.recursive(def, &what));
        }
        if self.has_too_many_types(def) {
            return Arc::default();
        }
        self.open.push(path.clone());
        let outer = std::mem::take(&mut self.lacks_fields);
        let schema = self.definition(def, scope);
        if std::mem::replace(&mut self.lacks_fields, outer)
            && !def.validation.preserve_unknown_fields
        {
            self.report_recursion(def, "embeds a type that contains it");
        }
        let schema = Arc::new(schema);
        self.open.pop();
        let schema = self.bounded(def, schema);
        self.made.insert(path, Arc::clone(&schema));
        schema
    }

    fn definition(&mut self, def: &TypeDef, scope: Lookup<'_>) -> Schema {
        let at = At::of(def);
        let item = def.item.as_ref();
        let derived = item.and_then(|item| item.derived.as_deref());
        self.findings(derived);
        let other = derived.and_then(|derived| derived.ty.as_ref());
        let code = def.code();
        let base = match (other, &def.kind, def.marshals) {
            _ if Self::is_made_by_hand(def) => Schema::default(),
            _ if code.is_some() => {
                let schema = code.map(|code| self.coded(code, scope, at));
                let schema = schema.unwrap_or_default();
                match is_root(def, scope) {
                    true => of_object(schema),
                    false => schema,
                }
            }
            (Some(ty), ..) => Arc::unwrap_or_clone(self.of(ty, scope, at)),
            (None, _, Some(Marshals::Text)) => Schema::of_type("string"),
            (None, _, Some(Marshals::Json)) if self.has_type_of_marker(def) => Schema::default(),
            (None, TypeKind::Struct(body), _) if Self::is_unnamed(def, body) => {
                self.unnamed(def, body)
            }
            (None, TypeKind::Struct(body), _) => {
                let schema = self.structure(body, scope, at);
                if is_root(def, scope) {
                    of_object(schema)
                } else {
                    schema
                }
            }
            (None, TypeKind::Enum(def), _) => enumeration(def, scope),
            (None, TypeKind::Union(def), _) => self.union(def, scope, at),
            (None, TypeKind::Alias(alias), _)
                if scope.rust && self.is_declared(&def.validation, &alias.target, scope) =>
            {
                Schema::default()
            }
            (None, TypeKind::Alias(alias), _) => {
                Arc::unwrap_or_clone(self.of(&alias.target, scope, at))
            }
        };
        let named = matches!(&def.kind, TypeKind::Alias(alias) if is_named(&alias.target));
        let mut own = Schema::of_rules(&def.validation);
        if let TypeKind::Struct(body) = &def.kind {
            own.keep_apart(&body.embedded_rules);
        }
        // controller-gen omits the description of types with custom marshalling.
        let writes_itself = match def.marshals {
            Some(Marshals::Text) => true,
            Some(Marshals::Json) => self.has_type_of_marker(def),
            None => false,
        };
        // schemars adds the documentation only in its own derive.
        let has_impl = item.is_some_and(|item| item.impls.iter().any(|it| it == "JsonSchema"));
        let is_described = is_root(def, scope) && base.words.has(DESCRIPTION);
        let is_by_hand = def.code().is_some() && (has_impl || is_described);
        if (!writes_itself || self.compat == Compat::Strict) && !is_by_hand {
            own.describe(self.docs(&def.docs, scope));
        }
        let mut base = self.with_elements(base, &def.validation);
        let schema = if named && def.code().is_none() {
            self.narrowed(base.used(own.clone()), &own)
        } else if is_root(def, scope) {
            // For roots, rules of flattened fields come first.
            let rules = base.words.remove(RULES);
            let mut schema = base.overridden(own);
            if let Some(rules) = rules {
                schema.fold(Schema::default().with(RULES, rules));
            }
            schema
        } else {
            base.overridden(own)
        };
        schema.without_empty_words()
    }

    /// Whether a marker declares the JSON type of a type with custom marshalling. For controller-gen, `Type=""` does not count:
    /// it falls back to the Go type.
    fn has_type_of_marker(&self, def: &TypeDef) -> bool {
        let ty = def.validation.type_.as_deref();
        ty.is_some_and(|ty| !ty.is_empty() || self.compat == Compat::Strict)
    }

    /// An object schema with the properties of a struct; flattened types are folded in.
    pub(super) fn structure(&mut self, def: &StructDef, scope: Lookup<'_>, at: At<'_>) -> Schema {
        let mut schema = Schema::of_type("object");
        let mut flattened = Vec::new();
        for field in def.fields.iter().filter(|field| !field.skip) {
            if field.undeclared {
                self.findings(field.derived.as_deref());
                continue;
            }
            let what = format!("{}.{}", at.what, field.json_name);
            let at = At {
                what: &what,
                place: field.declared.place().or(at.place),
            };
            if field
                .embedded_in
                .iter()
                .any(|path| self.open.contains(path))
            {
                self.lacks_fields = true;
                continue;
            }
            let open = self.open.len();
            self.open.extend(field.embedded_in.iter().cloned());
            if field.flatten {
                flattened.push(self.flattened(field, scope, at));
                continue;
            }
            let property = match field.merged.as_slice() {
                [] => self.property(field, scope, at),
                fields => self.merged(fields, scope, at),
            };
            self.open.truncate(open);
            let name = field.json_name.clone();
            schema.properties.insert(name, Arc::new(property));
            let is_required = |field: &Field| self.is_required(field, scope);
            if is_required(field) || field.merged.iter().any(is_required) {
                schema.required.insert(field.json_name.clone());
            }
        }
        for part in flattened {
            schema.fold(part);
        }
        schema
    }

    /// Whether the schema requires a field. controller-gen also requires fields of embedded pointers.
    fn is_required(&self, field: &Field, scope: Lookup<'_>) -> bool {
        match &field.go {
            Some(go) if self.compat == Compat::ControllerGen => go.required,
            None if scope.rust && !field.demanded => {
                field.required && !self.is_optional(&field.ty, scope)
            }
            _ => field.required,
        }
    }

    /// The documentation of a type or field as a description.
    pub(super) fn docs(&self, docs: &str, scope: Lookup<'_>) -> String {
        if scope.rust {
            description(&of_rustdoc(docs), Blank::Single)
        } else {
            description(docs, self.blank())
        }
    }

    pub(super) fn blank(&self) -> Blank {
        match self.compat {
            Compat::Strict => Blank::Single,
            Compat::ControllerGen => Blank::Kept,
        }
    }
}

/// Whether the type is a kind.
fn is_root(def: &TypeDef, scope: Lookup<'_>) -> bool {
    scope.resources.iter().any(|one| one.root == def.name)
}

/// Whether the type is named, so that its schema is merged with the constraints at its use.
pub(super) fn is_named(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => is_named(inner),
        // Go's byte slices are unnamed.
        TypeRef::Known(KnownType::ByteString) => false,
        TypeRef::Known(_) | TypeRef::Local(_) | TypeRef::External(_) => true,
        _ => false,
    }
}

/// A string or an integer; with its values if the enum is closed.
fn enumeration(def: &EnumDef, scope: Lookup<'_>) -> Schema {
    let schema = Schema::of_type(def.values.schema_type());
    if !scope.rust || def.open.is_some() {
        return schema;
    }
    let values: Vec<&str> = def.variants.iter().map(|one| one.value.as_str()).collect();
    schema.with("enum", values)
}
