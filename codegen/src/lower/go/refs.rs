//! Resolves Go type expressions to [`TypeRef`]s, and collects the types that they reach.

use super::{cx::Cx, merge, well_known};
use crate::{
    builtin,
    diag::{Diagnostic, Diagnostics, Place},
    model::{ExternalType, Marshals, TypeKind, TypeRef, Validation},
    read::go::{Package, Type, TypeDecl},
};

/// A resolved reference.
#[derive(Clone, Debug)]
pub(super) struct Ref {
    /// The Rust type.
    pub(super) ty: TypeRef,
    /// Docs of a named type without a Rust type.
    pub(super) docs: String,
    /// Rules of a named type without a Rust type.
    pub(super) validation: Validation,
}

impl Ref {
    fn plain(ty: TypeRef) -> Self {
        Self {
            ty,
            docs: String::new(),
            validation: Validation::default(),
        }
    }

    /// Wraps the reference in a list or map.
    fn within(mut self, outer: fn(Box<TypeRef>) -> TypeRef) -> Self {
        if !self.docs.is_empty() {
            self.validation.docs = self.docs;
        }
        let mut validation = Validation::default();
        if self.validation != Validation::default() {
            validation.element = Some(Box::new(self.validation));
        }
        Self {
            ty: outer(Box::new(self.ty)),
            docs: String::new(),
            validation,
        }
    }
}

/// Types reached through references, each of which is lowered once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reached {
    /// A generated type: import path, name.
    Generated(String, String),
    /// A type of another crate whose definition is needed: import path, name, Rust path.
    Defined(String, String, String),
}

/// Resolves the references of one package.
pub(super) struct Refs<'c, 'a> {
    pub(super) cx: &'c Cx<'a>,
    /// The package whose names are resolved.
    pub(super) package: &'c Package,
    /// The package whose module will contain the references.
    pub(super) home: &'c Package,
    /// Whether the references are for a definition, which contains no local types.
    pub(super) absolute: bool,
    pub(super) reached: &'c mut Vec<Reached>,
    pub(super) diagnostics: &'c mut Diagnostics,
}

/// How a type is used, which decides whether another type can replace it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// As type of a field, item or value.
    Value,
    /// Embedded in a struct, which gets its fields.
    Embedded,
}

/// The maximum number of consecutive named types without a Rust type.
const MAX_DEPTH: usize = 64;

/// Applies controller-gen's schema for a type in [`special`](well_known::special).
fn as_controller_gen(package: &str, name: &str, found: &mut Ref) {
    if well_known::is_bare_object(package, name) {
        found.validation.type_ = Some("object".to_owned());
        found.validation.schemaless = true;
    } else if well_known::is_number_text(package, name) {
        found.ty = TypeRef::Any;
        found.validation.type_ = Some("string".to_owned());
        found.docs = "A Number represents a JSON number literal.".to_owned();
    } else if well_known::is_bytes(package, name) {
        found.validation.type_ = Some("string".to_owned());
        found.validation.format = Some("byte".to_owned());
        found.docs = "RawMessage is a raw encoded JSON value.\nIt implements [Marshaler] and [Unmarshaler] and can\n\
            be used to delay JSON decoding or precompute a JSON encoding."
            .to_owned();
    }
}

impl Refs<'_, '_> {
    /// Returns a resolver for types of another package.
    pub(super) fn of<'n>(&'n mut self, package: &'n Package) -> Refs<'n, 'n> {
        Refs {
            cx: self.cx,
            package,
            home: self.home,
            absolute: self.absolute,
            reached: self.reached,
            diagnostics: self.diagnostics,
        }
    }

    /// Resolves a type expression; reports an unsupported one, and replaces it with arbitrary JSON.
    pub(super) fn resolve(&mut self, ty: &Type, place: &Place) -> Ref {
        self.resolve_within(ty, place, MAX_DEPTH)
    }

    fn resolve_within(&mut self, ty: &Type, place: &Place, depth: usize) -> Ref {
        match ty {
            Type::Basic(name) => match well_known::basic(name) {
                Some(ty) => Ref::plain(ty),
                None => self.refuse(
                    place,
                    &format!("`{name}` has no form in JSON"),
                    "not allowed in an API type",
                ),
            },
            Type::Pointer(inner) => self.resolve_within(inner, place, depth),
            Type::Slice(inner) if is_byte(inner) && !self.is_list_of_bytes(inner, place) => {
                Ref::plain(TypeRef::Known(crate::model::KnownType::ByteString))
            }
            Type::Slice(inner) | Type::Array(_, inner) => self
                .resolve_within(inner, place, depth)
                .within(TypeRef::List),
            Type::Map(_, value) => self
                .resolve_within(value, place, depth)
                .within(TypeRef::Map),
            Type::Local(name, at) => {
                let package = self.package;
                let found = self.named(&package.path, name, at, depth);
                match self.cx.passed_over(package, name) {
                    Some((path, name)) => self.named(path, name, at, depth),
                    None => found,
                }
            }
            Type::Imported(path, name, at) => self.named(path, name, at, depth),
            Type::Struct(fields) if fields.is_empty() => {
                Ref::plain(TypeRef::Map(Box::new(TypeRef::Any)))
            }
            Type::Struct(_) => self.refuse(
                place,
                "an anonymous struct has no name in Rust",
                "declared in place",
            ),
            Type::Interface(at) => self.refuse(
                at,
                "an interface has no form in JSON",
                "not allowed in an API type",
            ),
            Type::Other(at) => self.refuse_other(at),
        }
    }

    /// Whether controller-gen treats the bytes as a list of numbers: unless they are `[]byte`.
    fn is_list_of_bytes(&mut self, inner: &Type, place: &Place) -> bool {
        if self.cx.options.compat.is_strict() || !matches!(inner, Type::Basic("uint8")) {
            return false;
        }
        let warning = Diagnostic::warning("`[]uint8` is a list in controller-gen's schema");
        self.diagnostics.push(
            warning
                .at(
                    place.clone(),
                    "Go writes a string, which the schema rejects",
                )
                .help("write `[]byte`"),
        );
        true
    }

    fn refuse(&mut self, place: &Place, message: &str, label: &str) -> Ref {
        let error = Diagnostic::error(message).at(place.clone(), label);
        self.diagnostics.push(error.help(
            "exclude the field from JSON with `json:\"-\"`, or use a struct, `runtime.RawExtension` or `apiextensionsv1.JSON`",
        ));
        Ref::plain(TypeRef::Any)
    }

    /// Refuses a function, a channel or an instance of a generic type, at the type's name.
    fn refuse_other(&mut self, place: &Place) -> Ref {
        let text = place.text.get(place.range.clone()).unwrap_or_default();
        match text {
            "func" => self.refuse(
                place,
                "a function has no form in JSON",
                "not allowed in an API type",
            ),
            "chan" | "<-" => self.refuse(
                place,
                "a channel has no form in JSON",
                "not allowed in an API type",
            ),
            generic => {
                let message = format!("`{generic}` is generic, but API types cannot be generic");
                let error = Diagnostic::error(message).at(place.clone(), "an instance of it");
                let help = "write a type without parameters for each instance, or exclude the field from JSON with `json:\"-\"`";
                self.diagnostics.push(error.help(help));
                Ref::plain(TypeRef::Any)
            }
        }
    }

    fn named(&mut self, package: &str, name: &str, place: &Place, depth: usize) -> Ref {
        if let Some(path) = self
            .cx
            .replaced(package, name)
            .filter(|path| path.contains("::"))
        {
            let path = path.to_owned();
            return Ref::plain(self.elsewhere(package, name, &path));
        }
        if let Some(ty) = well_known::special(package, name) {
            let mut found = Ref {
                docs: well_known::docs(package, name).to_owned(),
                ..Ref::plain(ty)
            };
            if !self.cx.options.compat.is_strict() {
                as_controller_gen(package, name, &mut found);
            }
            return found;
        }
        let kubernetes = builtin::rust_path(package, name);
        // Definitions generate no code: a named string or list keeps its name and docs there.
        let is_declared = self.cx.declared(package, name).is_some();
        let defined_alone = self.absolute && is_declared;
        // Go writes `apiVersion` and `kind` of a value within another object only if they are set,
        // k8s-openapi always.
        let is_object = |path: &[String]| !self.absolute && builtin::is_openapi_object(path);
        if let Some(path) = &kubernetes
            && (builtin::is_in_k8s_openapi(path) || self.absolute)
            && !(is_declared && is_object(path))
            && (defined_alone || self.is_object(package, name))
        {
            if is_object(path) {
                self.warn_of_object(package, name, place);
            }
            let ty = builtin::at_path(path.clone());
            return Ref::plain(self.defined(package, name, ty, path.join("::")));
        }
        let Some(declared) = self.cx.declared(package, name) else {
            return self.unread(package, name, place, Use::Value);
        };
        let decl = declared.decl;
        if let Some(at) = &decl.generics {
            let at = at.clone();
            return self.refuse(
                &at,
                &format!("`{name}` is generic, but API types cannot be generic"),
                "its parameters",
            );
        }
        let marshals = declared.pkg.marshals(name);
        let inlined = (kubernetes.is_some() || !exists(decl))
            && !matches!(decl.ty, Type::Struct(_))
            && marshals.is_none();
        if depth > 0 && (inlined || self.needs_inlining(package, decl, marshals)) {
            return self.inline(package, decl, depth);
        }
        self.reached
            .push(Reached::Generated(package.to_owned(), name.to_owned()));
        let rust = self.cx.rust_name(package, name);
        let home = self.cx.home(package);
        let is_local =
            package == self.home.path || home.is_some() && home == self.cx.home(&self.home.path);
        if is_local && !self.absolute {
            return Ref::plain(TypeRef::Local(rust));
        }
        let home = home.map_or("crate", |home| home.path.as_str());
        let segments = home.split("::").map(str::to_owned).chain([rust]).collect();
        Ref::plain(TypeRef::External(ExternalType::new(segments)))
    }

    /// Resolves a named type without a Rust type to its declaration, with its docs and rules.
    fn inline(&mut self, package: &str, decl: &TypeDecl, depth: usize) -> Ref {
        let Some(package) = self.cx.pkg(package).map(|pkg| pkg.package) else {
            return Ref::plain(TypeRef::Any);
        };
        let mut refs = self.of(package);
        let mut inner = refs.resolve_within(&decl.ty, &decl.place, depth - 1);
        let own = super::markers::rules(
            refs.cx,
            &decl.markers,
            &inner.ty,
            refs.home,
            refs.diagnostics,
        );
        let below = std::mem::replace(&mut inner.validation, own);
        merge::fill(&mut inner.validation, &below);
        if !decl.docs.is_empty() {
            inner.docs.clone_from(&decl.docs);
        }
        inner
    }

    /// Whether an alias refers to a type that needs serde attributes, which it cannot carry.
    fn needs_inlining(
        &mut self,
        package: &str,
        decl: &TypeDecl,
        marshals: Option<Marshals>,
    ) -> bool {
        if marshals.is_some() || matches!(decl.ty, Type::Struct(_)) {
            return false;
        }
        let Some(package) = self.cx.pkg(package).map(|pkg| pkg.package) else {
            return false;
        };
        let (mut reached, mut silent) = (Vec::new(), Diagnostics::new());
        let mut refs = Refs {
            cx: self.cx,
            package,
            home: self.home,
            absolute: self.absolute,
            reached: &mut reached,
            diagnostics: &mut silent,
        };
        let target = refs.resolve_within(&decl.ty, &decl.place, 0);
        target.ty.is_encoded()
    }

    /// The path under which the schema of a type is built.
    pub(super) fn schema_path(&self, package: &str, name: &str) -> String {
        match builtin::rust_path(package, name) {
            Some(path) if self.absolute => path.join("::"),
            _ => {
                let home = self.cx.home(package).map_or("", |home| home.path.as_str());
                format!("{home}::{}", self.cx.rust_name(package, name))
            }
        }
    }

    /// Whether Go's encoder sees values of the type as structs, which are never empty.
    pub(super) fn is_struct(&self, ty: &Type) -> bool {
        let Some((package, name)) = self.cx.named(self.package, ty) else {
            return false;
        };
        if well_known::special(package, name).is_some() {
            return well_known::is_struct(package, name);
        }
        match self.cx.underlying(package, name) {
            Some(end) => matches!(end.decl.ty, Type::Struct(_)),
            None => builtin::go_type(package, name)
                .is_some_and(|def| matches!(def.kind, TypeKind::Struct(_))),
        }
    }

    /// Whether values of the type are maps, or arbitrary JSON.
    pub(super) fn is_map(&self, ty: &Type) -> bool {
        let named = self.cx.named(self.package, ty);
        let end = named.and_then(|(package, name)| self.cx.underlying(package, name));
        match end.map_or(ty, |end| &end.decl.ty) {
            Type::Pointer(inner) => self.is_map(inner),
            ty => matches!(ty, Type::Map(..) | Type::Basic("any")),
        }
    }

    /// Whether Go's encoder writes values of the type `found` as numbers or booleans.
    pub(super) fn is_number(&self, ty: &Type, found: &TypeRef) -> bool {
        use TypeRef::{Bool, Float, Float32, Int32, Int64, Integer};
        let is_plain =
            |ty: &TypeRef| matches!(ty, Bool | Float | Float32 | Int32 | Int64 | Integer(_));
        let Some((package, name)) = self.cx.named(self.package, ty) else {
            return is_plain(found);
        };
        let declared = self.cx.declared(package, name);
        if declared.is_some_and(|declared| declared.pkg.marshals(name).is_some()) {
            return false;
        }
        match self.cx.underlying(package, name).map(|end| &end.decl.ty) {
            Some(Type::Basic(name)) => well_known::basic(name).is_some_and(|ty| is_plain(&ty)),
            Some(_) => false,
            None => is_plain(found),
        }
    }

    /// Whether the type is a struct or marshals itself, so that k8s-openapi has a type for it.
    fn is_object(&self, package: &str, name: &str) -> bool {
        let Some(declared) = self.cx.declared(package, name) else {
            // For types in neither the sources nor the table, k8s-openapi decides.
            return builtin::go_type(package, name).is_none_or(|def| {
                matches!(def.kind, TypeKind::Struct(_)) || def.marshals.is_some()
            });
        };
        declared.pkg.marshals(name).is_some()
            || self
                .cx
                .underlying(package, name)
                .is_none_or(|end| matches!(end.decl.ty, Type::Struct(_)))
    }

    /// Warns that an API object of k8s-openapi is used for want of its source.
    fn warn_of_object(&mut self, package: &str, name: &str, place: &Place) {
        let warning = Diagnostic::warning(format!(
            "`{name}` writes its `apiVersion` and `kind`, which Go omits"
        ));
        self.diagnostics.push(
            warning
                .at(place.clone(), "it has the type of k8s-openapi")
                .help(format!(
                    "provide the sources of {package} in the module cache or in `vendor`: a type of its own is generated then"
                )),
        );
    }

    /// Returns a type that the user maps to another crate.
    fn elsewhere(&mut self, package: &str, name: &str, path: &str) -> TypeRef {
        let global = path.starts_with("::");
        let path = path.trim_start_matches("::");
        let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
        let ty = TypeRef::External(ExternalType {
            global,
            ..ExternalType::new(segments)
        });
        self.defined(package, name, ty, path.to_owned())
    }

    fn defined(&mut self, package: &str, name: &str, ty: TypeRef, path: String) -> TypeRef {
        if self.cx.declared(package, name).is_some() {
            self.reached
                .push(Reached::Defined(package.to_owned(), name.to_owned(), path));
        }
        ty
    }

    /// Resolves a type without source that k8s-openapi lacks, by the built-in table.
    pub(super) fn unread(&mut self, package: &str, name: &str, place: &Place, used: Use) -> Ref {
        if let Some(def) = builtin::go_type(package, name) {
            let ty = match def.kind {
                TypeKind::Alias(alias) => Some(builtin::resolved(alias.target)),
                TypeKind::Enum(_) => Some(TypeRef::String),
                TypeKind::Struct(_) | TypeKind::Union(_) => None,
            };
            if let Some(ty) = ty {
                return Ref {
                    ty,
                    docs: def.docs,
                    validation: def.validation,
                };
            }
        }
        let error = if package == self.package.path || self.cx.pkg(package).is_some() {
            let pkg = self.cx.pkg(package);
            let names = pkg.iter().flat_map(|pkg| &pkg.package.types);
            let near = crate::suggest::closest(name, names.map(|decl| decl.name.as_str()));
            let error = Diagnostic::error(format!("the package {package} has no type `{name}`"))
                .at(place.clone(), "not declared");
            match near {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help("a file may be missing, or excluded by a build constraint"),
            }
        } else if let Some(missing) = self.cx.missing(package) {
            instead(missing.clone(), package, name, used)
        } else {
            let error = Diagnostic::error(format!("the package {package} was not read"))
                .at(place.clone(), "its type is needed here");
            instead(error, package, name, used)
        };
        // Report a missing package once, however many of its types are used.
        let found = self.diagnostics.as_slice();
        if !found
            .iter()
            .any(|other| (&other.message, &other.labels) == (&error.message, &error.labels))
        {
            self.diagnostics.push(error);
        }
        Ref::plain(TypeRef::Any)
    }
}

/// Adds help on what to use instead of a type that was not read.
fn instead(error: Diagnostic, package: &str, name: &str, used: Use) -> Diagnostic {
    match used {
        Use::Value => error.help(format!(
            "specify a Rust type for it: `--type-path '{package}.{name}=my_crate::{name}'`"
        )),
        Use::Embedded => error.help(format!(
            "provide the sources of {package} in the module cache, in `vendor` or with a `replace` in go.mod: \
             `{name}` is embedded, and `--type-path` does not specify its fields"
        )),
    }
}

/// Whether the declaration is an actual type, not a name for an interface, a function or such.
fn exists(decl: &TypeDecl) -> bool {
    !matches!(decl.ty, Type::Interface(_) | Type::Other(_))
}

pub(super) fn is_byte(ty: &Type) -> bool {
    matches!(ty, Type::Basic("byte" | "uint8"))
}
