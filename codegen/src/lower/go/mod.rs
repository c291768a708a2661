//! Lowers Go packages.
//!
//! A requested package with API objects becomes a version: its roots and every type that they
//! reach, under their Go names. Types of other packages are generated once, in a module named after
//! the package, unless k8s-openapi or the user provides them; then their definitions are kept for
//! schemas. Start reading at `lower`; `refs` decides which Rust type represents a Go type, `fields`
//! how a struct's fields are represented.

mod boxes;
mod checks;
mod cx;
mod dominant;
mod enums;
mod fields;
mod json_tag;
mod markers;
mod merge;
mod modules;
mod native;
mod property;
mod refs;
mod roots;
mod types;
mod well_known;
mod wire;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

pub(crate) use self::modules::ModuleNames;
pub use self::native::Native;
use self::{
    cx::{Cx, Declared},
    modules::ApiVersion,
    property::Owner,
    refs::{Reached, Refs},
    roots::Role,
};
use crate::{
    builtin,
    diag::{Diagnostic, Diagnostics},
    model::{
        ApiSet, DeclaredAt, Group, MapType, Origin, Resource, StructDef, TypeDef, TypeKind,
        TypePackage, UnknownFields, Validation, Version, names,
    },
    options::Options,
    read::{
        go::{Module, Type, TypeDecl},
        markers::field::StructTypeMarker,
    },
};

/// Kinds by group and name.
pub type Named = BTreeSet<(String, String)>;

/// Adds the groups of the module's packages to `api`, with the packages and definitions that they
/// need. Returns the module's kinds, including those that the filters leave out.
pub(crate) fn lower(
    module: &Module,
    shared: &mut ModuleNames,
    options: &Options,
    api: &mut ApiSet,
    diagnostics: &mut Diagnostics,
) -> Named {
    checks::report_markers(module, options, diagnostics);
    // controller-gen reads rules from packages whose imports are missing.
    let mut unused = Diagnostics::new();
    let diagnostics = match options.writes_only_rules() {
        true => &mut unused,
        false => diagnostics,
    };
    let mut cx = Cx::new(module, options);
    let kinds = roots::kinds(&cx, &module.packages);
    cx.set_kinds(kinds.clone());
    let versions = modules::settle(&mut cx, &module.packages, shared, options, diagnostics);
    let mut work = Work::default();
    let resources: Vec<Vec<Resource>> = versions
        .iter()
        .map(|version| roots(&cx, version, options, &mut work, diagnostics))
        .collect();
    let lowered = versions.iter().zip(&resources).flat_map(|(version, all)| {
        all.iter()
            .map(|resource| (version.group, resource.kind.as_str()))
    });
    let named = kinds.into_iter().chain(lowered);
    let named = named.map(|(group, kind)| (group.to_owned(), kind.to_owned()));
    let named: Named = named.collect();
    work.finish(&cx, diagnostics);
    let mut types = work.types;
    checks::check_marshalers(&cx, &types, diagnostics);
    boxes::add(&cx, &mut types);
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for (version, resources) in versions.into_iter().zip(resources) {
        let mut own = Vec::new();
        for package in &version.packages {
            own.extend(in_order(types.remove(&package.path).unwrap_or_default()));
        }
        checks::check_names(&cx, &version, &own, diagnostics);
        crate::lower::paths::assign(&resources, &mut own);
        let group = groups.entry(version.group).or_insert_with(|| Group {
            name: version.group.to_owned(),
            module: version.group_module.clone(),
            type_prefix: version.type_prefix.clone(),
            versions: Vec::new(),
        });
        group
            .versions
            .push(version_of(&cx, &version, resources, own));
    }
    for (_, mut group) in groups {
        crate::lower::rust::settle_storage(&mut group);
        match api.groups.iter_mut().find(|other| other.name == group.name) {
            Some(other) => other.versions.extend(group.versions),
            None => api.groups.push(group),
        }
    }
    for (path, types) in types {
        api.packages.extend(package(&cx, &path, types));
    }
    api.definitions.extend(work.definitions);
    checks::check_type_paths(&cx, diagnostics);
    named
}

fn version_of(
    cx: &Cx<'_>,
    version: &ApiVersion<'_>,
    resources: Vec<Resource>,
    types: Vec<TypeDef>,
) -> Version {
    let packages = version.packages.iter();
    let mut docs = packages.map(|package| package.docs.trim_end());
    let first = version.packages.first();
    let home = first.and_then(|package| cx.home(&package.path));
    Version {
        name: version.name.clone(),
        module: version.module.clone(),
        path: home.map(|home| home.path.clone()).unwrap_or_default(),
        dir: format!("apis/{}/{}", version.group_module, version.module),
        docs: docs
            .find(|docs| !docs.is_empty())
            .unwrap_or_default()
            .to_owned(),
        origin: Origin::Go,
        reexported: false,
        resources,
        types,
    }
}

/// Whether a type has a special JSON form, so that its declaration is not needed.
pub(crate) fn has_own_form(package: &str, name: &str) -> bool {
    well_known::special(package, name).is_some()
}

/// A Kubernetes type, with properties of its fields that JSON does not show.
#[derive(Debug)]
pub struct Builtin {
    /// The definition, which contains no local types.
    pub def: TypeDef,
    /// The fields of a struct, by JSON name.
    pub fields: BTreeMap<String, Native>,
    /// Whether its own markers declare it atomic.
    pub atomic: bool,
}

/// Returns every type of the module's packages by package and name: the source of the table of
/// built-in types.
pub fn definitions(
    module: &Module,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<(String, String), Builtin> {
    let options = Options::default();
    let cx = Cx::new(module, &options);
    let mut all = BTreeMap::new();
    for package in module
        .packages
        .iter()
        .filter(|package| builtin::is_kubernetes(&package.path))
    {
        for decl in package.types.iter().filter(|decl| decl.generics.is_none()) {
            if matches!(decl.ty, Type::Interface(_) | Type::Other(_)) {
                continue;
            }
            let Some(declared) = cx.declared(&package.path, &decl.name) else {
                continue;
            };
            let mut refs = Refs {
                cx: &cx,
                package,
                home: package,
                absolute: true,
                reached: &mut Vec::new(),
                diagnostics,
            };
            let def = types::type_def(&mut refs, declared, decl.name.clone());
            let fields = match &decl.ty {
                Type::Struct(sources) => native::fields(&cx, package, sources),
                _ => BTreeMap::new(),
            };
            let struct_type = decl.markers.get::<StructTypeMarker>();
            let atomic = struct_type.is_some_and(|marker| marker.value == MapType::Atomic);
            let builtin = Builtin {
                def,
                fields,
                atomic,
            };
            all.insert((package.path.clone(), decl.name.clone()), builtin);
        }
    }
    all
}

/// Returns the roots of a version that the filters select, as resources; all objects of the package
/// count as reached.
fn roots<'a>(
    cx: &Cx<'a>,
    version: &ApiVersion<'a>,
    options: &Options,
    work: &mut Work,
    diagnostics: &mut Diagnostics,
) -> Vec<Resource> {
    let kinds = &options.filters.kinds;
    let mut resources: Vec<Resource> = Vec::new();
    let mut plurals: BTreeMap<String, &TypeDecl> = BTreeMap::new();
    let packages = version.packages.iter();
    for (package, decl) in
        packages.flat_map(|package| package.types.iter().map(move |decl| (*package, decl)))
    {
        let role = roots::role(cx, package, decl);
        let kept = kinds.is_empty() || kinds.contains(&decl.name);
        if !kept || !matches!(role, Role::Root | Role::Object) {
            continue;
        }
        let reached = Reached::Generated(package.path.clone(), decl.name.clone());
        if role == Role::Object {
            if kinds.is_empty() {
                work.reached.push(reached);
            }
            continue;
        }
        if let Some(error) = types::generic(decl) {
            diagnostics.push(error);
            continue;
        }
        work.reached.push(reached);
        let root = cx.rust_name(&package.path, &decl.name);
        let by_name = roots::ByName { cx, package };
        let (resource, named) = roots::resource(decl, &root, &by_name, options, diagnostics);
        work.reached.extend(named);
        if let Some(first) = plurals.insert(resource.plural.clone(), decl) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "two kinds of this version have the plural `{}`",
                    resource.plural
                ))
                .at(decl.place.clone(), "the second kind")
                .at(first.place.clone(), "the first kind")
                .help("give one of them another plural with `+resourceName`"),
            );
        }
        resources.push(resource);
    }
    resources.sort_by(|a, b| a.kind.cmp(&b.kind));
    resources
}

/// For fewer types than this, starting another thread takes longer than lowering them.
const FEW: usize = 4;

/// Reached types that are yet to be lowered, and those already lowered.
#[derive(Default)]
struct Work {
    reached: Vec<Reached>,
    seen: BTreeSet<Reached>,
    /// Generated types by package.
    types: BTreeMap<String, Vec<TypeDef>>,
    /// Types of other crates by Rust path.
    definitions: BTreeMap<String, TypeDef>,
}

impl Work {
    /// Lowers the reached types, then the types that they reach, and so on until none are left.
    fn finish(&mut self, cx: &Cx<'_>, diagnostics: &mut Diagnostics) {
        loop {
            let mut reached = std::mem::take(&mut self.reached);
            reached.retain(|next| self.seen.insert(next.clone()));
            if reached.is_empty() {
                break;
            }
            let lowered: Vec<_> = reached
                .par_iter()
                .with_min_len(FEW)
                .map(|next| Lowered::of(cx, next))
                .collect();
            for (next, mut lowered) in reached.into_iter().zip(lowered) {
                self.reached.append(&mut lowered.reached);
                match (next, lowered.def) {
                    (_, None) => {}
                    (Reached::Generated(package, _), Some(def)) => {
                        self.types.entry(package).or_default().push(def);
                        diagnostics.extend(lowered.diagnostics);
                    }
                    // The user cannot fix sources of other projects.
                    (Reached::Defined(_, _, path), Some(def)) => {
                        self.definitions.insert(path, def);
                    }
                }
            }
        }
    }
}

/// A lowered type; `def` is `None` if no source declares it.
#[derive(Default)]
struct Lowered {
    def: Option<TypeDef>,
    reached: Vec<Reached>,
    diagnostics: Diagnostics,
}

impl Lowered {
    fn of(cx: &Cx<'_>, next: &Reached) -> Self {
        let mut lowered = Self::default();
        let (package, name, path) = match next {
            Reached::Generated(package, name) => (package, name, None),
            Reached::Defined(package, name, path) => (package, name, Some(path)),
        };
        let Some(declared) = cx.declared(package, name) else {
            return lowered;
        };
        let rust = match path {
            None => cx.rust_name(package, name),
            Some(path) => path.rsplit("::").next().unwrap_or(name).to_owned(),
        };
        let mut refs = Refs {
            cx,
            package: declared.pkg.package,
            home: declared.pkg.package,
            absolute: path.is_some(),
            reached: &mut lowered.reached,
            diagnostics: &mut lowered.diagnostics,
        };
        let is_root = path.is_none()
            && declared.pkg.package.requested
            && roots::role(cx, declared.pkg.package, declared.decl) == Role::Root;
        lowered.def = Some(if is_root {
            root_def(&mut refs, declared, rust)
        } else {
            types::type_def(&mut refs, declared, rust)
        });
        lowered
    }
}

/// Returns the definition of a root, whose TypeMeta is implied.
fn root_def(refs: &mut Refs<'_, '_>, declared: Declared<'_>, name: String) -> TypeDef {
    let (cx, decl) = (refs.cx, declared.decl);
    let Some(found) = roots::structure(cx, declared.pkg.package, decl) else {
        return types::type_def(refs, declared, name);
    };
    let owner = Owner {
        package: found.package,
        root: true,
    };
    let mut body = fields::body(&mut refs.of(found.package), &owner, found.fields);
    let object = crate::model::TypeRef::Map(Box::new(crate::model::TypeRef::Any));
    let mut validation: Validation =
        markers::rules(refs.cx, &decl.markers, &object, refs.home, refs.diagnostics);
    let mut def = StructDef {
        fields: body.fields,
        embedded_rules: body.embedded_rules,
        unknown_fields: UnknownFields::Pruned,
        ..StructDef::default()
    };
    if !def.embedded_rules.is_empty() {
        def.embedded_rules.insert(0, validation.clone());
    }
    let mut docs = markers::docs(&decl.docs, &decl.markers);
    let mut step = declared;
    while !std::ptr::eq(step.decl, found.decl)
        && let Some(below) = cx.below(step)
    {
        step = below;
        let markers = &step.decl.markers;
        let rules = markers::rules(cx, markers, &object, refs.home, refs.diagnostics);
        merge::fill(&mut validation, &rules);
        if docs.is_empty() {
            docs = markers::docs(&step.decl.docs, markers);
        }
    }
    // On a root, the rules of embedded structs come first.
    let first = std::mem::take(&mut body.embedded.rules).into_iter();
    validation.rules.splice(0..0, first.chain(body.immutable));
    merge::fill(&mut validation, &body.embedded);
    let kind = TypeKind::Struct(def);
    crate::lower::one_of::check(&decl.markers, &kind, refs.diagnostics);
    TypeDef {
        docs,
        path: name.clone(),
        name,
        shared: false,
        kind,
        validation,
        item: None,
        marshals: None,
        whole: crate::lower::apply_unchanged::is_marked(
            &decl.markers,
            &declared.pkg.package.markers,
        ),
        converted_by_hand: crate::lower::conversion::is_by_hand(&decl.markers),
        declared: DeclaredAt::marked(&decl.place, decl.markers.places()),
    }
}

/// Sorts the types of a package in declaration order.
fn in_order(mut types: Vec<TypeDef>) -> Vec<TypeDef> {
    types.sort_by_cached_key(|def| {
        let place = def.declared.place();
        place.map(|place| (place.file.clone(), place.range.start))
    });
    types
}

fn package(cx: &Cx<'_>, path: &str, types: Vec<TypeDef>) -> Option<TypePackage> {
    let home = cx.home(path)?.path.clone();
    let module = home.rsplit("::").next()?.to_owned();
    let docs = cx.pkg(path)?.package.docs.trim_end().to_owned();
    Some(TypePackage {
        import_path: path.to_owned(),
        dir: format!(
            "apis/{}",
            names::plain_ident(module.trim_start_matches("r#"))
        ),
        path: home,
        module,
        docs,
        types: in_order(types),
    })
}
