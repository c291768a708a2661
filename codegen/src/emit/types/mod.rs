//! Types from CRDs, one file per kind and one for types that several kinds share; and types from Go, one file per Go file.
//!
//! For `VirtualMachine`, in `apis/cloudnative/v1alpha1/virtual_machine.rs`:
//!
//! ```text
//! use ::codegen_runtime::codec;
//!
//! /// A virtual machine.
//! #[derive(Clone, Debug, Default, PartialEq)]
//! pub struct VirtualMachine {
//!     /// Standard object metadata.
//!     pub metadata: ObjectMeta,
//!     /// The desired state.
//!     pub spec: VirtualMachineSpec,
//!     …
//! }
//! codec::object! { VirtualMachine as kind; defaulted metadata; … }
//!
//! /// The desired state of a machine.
//! #[derive(Clone, Debug, Default, PartialEq)]
//! pub struct VirtualMachineSpec {
//!     /// Whether the machine runs.
//!     pub action: Option<VirtualMachineAction>,
//!     …
//! }
//! codec::object! { VirtualMachineSpec; optional action, … }
//! ```

mod allow;
mod attributes;
mod builder;
mod codec;
mod default;
mod imports;
mod item;
mod object;
mod refs;
mod union;
mod values;

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

pub(crate) use self::{
    allow::emit as allow,
    attributes::warn as warn_of_attributes,
    imports::{CODEC, Homes, Imports, push_use},
    object::{is_camel_case, literal, named},
};
use super::{
    Emit, Files,
    context::{api_version, module_docs},
    serde_attributes,
};
use crate::{
    model::{Field, Origin, Resource, TypeDef, TypeKind, TypePackage, Version, find_type, names},
    output::format::{Code, Comments, Items},
};

/// Types that share a module, in files below it: those of a version, or of a Go package that is not a version.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    dir: &'a str,
    types: &'a [TypeDef],
    pub(crate) resources: &'a [Resource],
    /// Types from Go are in files named after their source files.
    origin: Origin,
}

impl<'a> Unit<'a> {
    pub(crate) fn of_version(version: &'a Version) -> Self {
        Self {
            dir: &version.dir,
            types: &version.types,
            resources: &version.resources,
            origin: version.origin,
        }
    }

    pub(crate) fn of_package(package: &'a TypePackage) -> Self {
        Self {
            dir: &package.dir,
            types: &package.types,
            resources: &[],
            origin: Origin::Go,
        }
    }

    /// Whether the type is an API object, which gets its serde implementation separately.
    fn is_root(self, def: &TypeDef) -> bool {
        let mut resources = self.resources.iter();
        resources.any(|resource| resource.root == def.name)
    }

    /// Whether serde of the type is generated from a list of its fields.
    fn is_listed(self, cx: &Emit<'_>, def: &TypeDef) -> bool {
        matches!(def.kind, TypeKind::Struct(_))
            && def.marshals.is_none()
            && (self.is_root(def) || !attributes::derives_schema(cx, def))
    }

    /// The type with the name.
    pub(crate) fn type_def(self, name: &str) -> Option<&'a TypeDef> {
        find_type(self.types, self.origin, name)
    }
}

/// The context in which the items of one file are emitted.
pub(crate) struct FileContext<'a> {
    pub(crate) cx: &'a Emit<'a>,
    pub(crate) unit: Unit<'a>,
    pub(crate) imports: Imports<'a>,
    comments: RefCell<Comments>,
}

impl FileContext<'_> {
    /// A placeholder for a comment with these lines; `None` without lines.
    fn marker(&self, lines: Vec<String>) -> Option<String> {
        (!lines.is_empty()).then(|| self.comments.borrow_mut().add(lines))
    }
}

/// Emits the types of every version that comes from CRDs or Go.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    for (group, version) in cx.api.versions() {
        if version.origin.emits_types() {
            let what = format!("of `{}`", api_version(group, version));
            emit_unit(cx, Unit::of_version(version), what, files);
        }
    }
    for package in &cx.api.packages {
        let what = format!("of the Go package `{}`", package.import_path);
        emit_unit(cx, Unit::of_package(package), what, files);
    }
    if has_codec(cx) {
        files.rust("apis/codec.rs", || codec::emit(cx));
    }
}

/// Emits the files of a unit; `what` completes the first sentence of each file's documentation.
fn emit_unit<'a>(cx: &'a Emit<'a>, unit: Unit<'a>, what: String, files: &mut Files<'a>) {
    let modules = modules(unit);
    let homes = modules.iter().flat_map(|(module, defs)| {
        let module: Arc<str> = module.as_str().into();
        defs.iter()
            .map(move |def| (def.name.as_str(), Arc::clone(&module)))
    });
    let homes: Arc<Homes<'_>> = Arc::new(homes.collect());
    let what: Arc<str> = what.into();
    for (module, defs) in modules {
        let (homes, what) = (Arc::clone(&homes), Arc::clone(&what));
        files.rust(format!("{}/{module}.rs", unit.dir), move || {
            emit_file(cx, (unit, &what), (&module, &defs), &homes)
        });
    }
}

/// Whether there is a `codec` module beside the types, since the runtime's is not available.
pub(crate) fn has_codec(cx: &Emit<'_>) -> bool {
    !cx.options.needs_runtime() && units(cx).any(|unit| needs_codec(cx, unit))
}

/// Whether any enum has a variant for values that its schema does not list.
pub(crate) fn have_open_enum(cx: &Emit<'_>) -> bool {
    let is_open = |def: &TypeDef| matches!(&def.kind, TypeKind::Enum(body) if body.open.is_some());
    units(cx).flat_map(|unit| unit.types).any(is_open)
}

/// Every unit whose types are emitted.
fn units<'a>(cx: &Emit<'a>) -> impl Iterator<Item = Unit<'a>> {
    let versions = cx.api.versions().map(|(_, version)| version);
    let versions = versions.filter(|version| version.origin.emits_types());
    let packages = cx.api.packages.iter().map(Unit::of_package);
    versions.map(Unit::of_version).chain(packages)
}

/// The module of the types that several kinds share.
pub(crate) const COMMON: &str = "common";

/// The modules of a version from CRDs with the types in each, in order: one module per kind, which the version's `mod.rs`
/// declares, and [`COMMON`].
pub(crate) fn modules(unit: Unit<'_>) -> BTreeMap<String, Vec<&TypeDef>> {
    if unit.origin == Origin::Go {
        return go_modules(unit);
    }
    let kinds: Vec<&str> = unit
        .resources
        .iter()
        .map(|resource| resource.kind.as_str())
        .collect();
    let files = module_names(&kinds);
    let mut modules: BTreeMap<String, Vec<&TypeDef>> = BTreeMap::new();
    for def in unit.types {
        let module = if def.shared {
            COMMON
        } else if let Some(module) = files.get(kind_of(def)) {
            module
        } else {
            continue;
        };
        modules.entry(module.to_owned()).or_default().push(def);
    }
    modules
}

/// The name of the module with a kind's types.
pub(crate) fn module_of(version: &Version, resource: &Resource) -> String {
    let kinds: Vec<&str> = version
        .resources
        .iter()
        .map(|resource| resource.kind.as_str())
        .collect();
    let module = module_names(&kinds).remove(resource.kind.as_str());
    module.unwrap_or_default()
}

/// The kind of each module that belongs to one.
pub(crate) fn kinds_of_modules(version: &Version) -> BTreeMap<String, &Resource> {
    let kinds = version.resources.iter();
    let kinds: Vec<&str> = kinds.map(|resource| resource.kind.as_str()).collect();
    let mut modules = module_names(&kinds);
    let resources = version.resources.iter();
    resources
        .filter_map(|resource| Some((modules.remove(resource.kind.as_str())?, resource)))
        .collect()
}

/// The modules of types from Go: one per Go file that declares types, with its name.
fn go_modules(unit: Unit<'_>) -> BTreeMap<String, Vec<&TypeDef>> {
    let mut modules: BTreeMap<String, Vec<&TypeDef>> = BTreeMap::new();
    for def in unit.types {
        let place = def.declared.place();
        let file = place.map_or("types", |place| stem(&place.file));
        let mut module = names::plain_ident(&names::snake_case(file));
        if module == "mod" || module.starts_with("zz_generated") {
            module.insert_str(0, "file_");
        }
        modules.entry(module).or_default().push(def);
    }
    modules
}

/// A file's name without folder and extension.
fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".go").unwrap_or(name)
}

/// The kind that a type belongs to.
fn kind_of(def: &TypeDef) -> &str {
    def.path.split(['.', '[']).next().unwrap_or_default()
}

/// Whether types of the version use the codec.
fn needs_codec(cx: &Emit<'_>, unit: Unit<'_>) -> bool {
    let uses = |field: &Field| {
        serde_attributes::uses_codec(field)
            || serde_attributes::may_be_null(field)
            || serde_attributes::has_number(&field.ty)
            || default::is_decoded(field)
    };
    unit.types.iter().any(|def| match &def.kind {
        TypeKind::Struct(body) => {
            unit.is_listed(cx, def) || union::has_view(def) || body.fields.iter().any(uses)
        }
        TypeKind::Alias(alias) => serde_attributes::has_number(&alias.target),
        TypeKind::Enum(_) => values::is_listed(cx, def),
        _ => false,
    })
}

/// A module name for each kind; kinds that differ only in case are numbered.
fn module_names<'a>(kinds: &[&'a str]) -> BTreeMap<&'a str, String> {
    // Names of other files in the same folder.
    let mut taken = vec!["mod".to_owned(), COMMON.to_owned()];
    let mut modules = BTreeMap::new();
    for &kind in kinds {
        let mut plain = names::plain_ident(&names::snake_case(kind));
        if plain.starts_with("zz_generated") {
            plain.insert_str(0, "kind_");
        }
        let mut name = plain.clone();
        let mut number = 1;
        while taken.contains(&name) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        taken.push(name.clone());
        modules.insert(kind, name);
    }
    modules
}

fn emit_file(
    cx: &Emit<'_>,
    (unit, what): (Unit<'_>, &str),
    (module, defs): (&str, &[&TypeDef]),
    homes: &Homes<'_>,
) -> Code {
    let scope = FileContext {
        cx,
        unit,
        imports: Imports::new(cx, module, homes),
        comments: RefCell::default(),
    };
    let content = match defs.first() {
        Some(def) if unit.origin == Origin::Go => {
            let file = def
                .declared
                .place()
                .map_or("types.go", |place| &*place.file);
            format!("Types of `{}.go`,", stem(file))
        }
        Some(def) if !def.shared => format!("`{}`", kind_of(def)),
        _ => "Types that several kinds share".to_owned(),
    };
    let docs = module_docs(&format!("{content} {what}."));
    let (aliases, own): (Vec<&TypeDef>, Vec<&TypeDef>) = defs
        .iter()
        .partition(|def| matches!(def.kind, TypeKind::Alias(_)));
    let mut items = Items::default();
    for def in own.iter().chain(&aliases) {
        items.push_lines(item::emit(&scope, def));
        if let Some(text) = object::emit(&scope, def).or_else(|| values::emit(&scope, def)) {
            items.push_text(&text);
        }
        items.push_text(&union::emit(&scope, def));
    }
    let mut imports = Items::default();
    imports.push_text(&scope.imports.emit());
    imports.append(items);
    Code {
        tokens: docs,
        items: imports,
        comments: scope.comments.into_inner(),
    }
}
