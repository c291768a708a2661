//! Converts Go struct fields with their tags to [`Field`]s; fields of embedded structs are inlined.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    cx::End,
    dominant::{self, Candidate},
    json_tag::{self, JsonTag},
    markers::rules,
    merge,
    property::{Owner, field, immutable_rules, is_undeclared},
    refs::{Refs, Use},
    well_known,
};
use crate::{
    builtin,
    diag::{Diagnostic, Place},
    model::{
        CelRule, DeclaredAt, Field, GoField, GoValue, Marshals, Omission, TypeKind, TypeRef,
        Validation, names::schema::field_names,
    },
    options::Compat,
    read::{
        go::{self, META, Type},
        markers::MarkerSet,
    },
};

/// Rust names that a root's own fields already have.
const ROOT_FIELDS: &[&str] = &["api_version", "kind", "metadata", "unknown_fields"];

/// The maximum depth of embedded structs; the reader's limit is lower.
const MAX_DEPTH: usize = 128;

/// The contents of a struct.
pub(super) struct Body {
    pub(super) fields: Vec<Field>,
    /// The rules for its immutable fields, which precede its own rules.
    pub(super) immutable: Vec<CelRule>,
    /// The rules of embedded structs; like controller-gen, those of later ones come first.
    pub(super) embedded: Validation,
    /// These rules for controller-gen, which keeps rules of several structs for one value apart.
    pub(super) embedded_rules: Vec<Validation>,
}

/// Returns the fields of a struct, and the rules that follow from them.
pub(super) fn body(refs: &mut Refs<'_, '_>, owner: &Owner<'_>, sources: &[go::Field]) -> Body {
    let mut gathered = Gathered::default();
    gather(refs, owner, sources, 0, false, &mut gathered);
    let mut fields = dominant::fields(
        gathered.candidates,
        &gathered.doubled,
        |name| owner.root && name == "metadata",
        refs.cx.options.compat,
        refs.diagnostics,
    );
    // Definitions are used only for schemas, which do not need Rust names.
    if !refs.absolute {
        name(owner, &mut fields);
    }
    Body {
        fields,
        immutable: immutable_rules(refs, owner, sources, false),
        embedded: gathered.rules,
        embedded_rules: match refs.cx.options.compat {
            Compat::ControllerGen => gathered.parts,
            Compat::Strict => Vec::new(),
        },
    }
}

/// Assigns Rust names to fields.
fn name(owner: &Owner<'_>, fields: &mut [Field]) {
    let names: Vec<String> = fields.iter().map(|field| field.json_name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let reserved = if owner.root { ROOT_FIELDS } else { &[] };
    let is_meta = |name: &str| owner.root && name == "metadata";
    let others: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !is_meta(name))
        .collect();
    let mut rust_names = field_names(&others, reserved).into_iter();
    for field in fields {
        field.rust_name = if is_meta(&field.json_name) {
            "metadata".to_owned()
        } else {
            rust_names.next().unwrap_or_default()
        };
    }
}

#[derive(Default)]
struct Gathered {
    candidates: Vec<Candidate>,
    rules: Validation,
    /// The rules of each embedded struct and of its field, innermost first.
    parts: Vec<Validation>,
    /// The paths of the structs that are being visited, without the outermost.
    within: Vec<String>,
    /// The index of each embedded struct, and the least depth at which it is embedded, by package
    /// and name. Fields of another occurrence at the same or a greater depth lose.
    embedded: BTreeMap<(String, String), (usize, usize)>,
    /// The structs embedded twice at the same depth, by index.
    doubled: BTreeSet<usize>,
    /// The number of structs visited.
    structs: usize,
    /// The number of structs whose fields are complete.
    complete: usize,
}

impl Gathered {
    /// Returns the index for a newly visited struct.
    fn next_struct(&mut self) -> usize {
        self.structs += 1;
        self.structs
    }

    /// Records that the fields of a struct, which start at index `from`, are complete.
    /// controller-gen merges embedded structs into the one that embeds them before its own fields,
    /// except for kinds.
    fn complete(&mut self, within: usize, from: usize, is_root: bool) {
        self.complete += 1;
        let merged_at = if is_root { 0 } else { self.complete };
        let fields = self.candidates.iter_mut().skip(from);
        for candidate in fields.filter(|candidate| candidate.within == within) {
            candidate.merged_at = merged_at;
        }
    }

    /// Records that a struct is embedded at `depth`. Returns `false` if its fields lose to those of
    /// another occurrence.
    fn enter(&mut self, package: &str, name: &str, depth: usize) -> bool {
        let next = self.structs + 1;
        let key = (package.to_owned(), name.to_owned());
        let least = self.embedded.entry(key).or_insert((usize::MAX, 0));
        if least.0 == depth {
            self.doubled.insert(least.1);
        }
        let wins = depth < least.0;
        if wins {
            *least = (depth, next);
        }
        wins
    }

    /// Omits the fields starting at index `from` from the schema, if the embedding field requests
    /// it.
    fn leave_out(&mut self, from: usize, embeds: &go::Field) {
        if is_undeclared(embeds) {
            for candidate in self.candidates.iter_mut().skip(from) {
                candidate.field.undeclared = true;
            }
        }
    }

    /// Adds the rules of an embedded struct, including those of its field; of two rules for one
    /// value, the first applies.
    fn add_rules(&mut self, mut rules: Validation) {
        let first = std::mem::take(&mut rules.rules);
        merge::fill(&mut self.rules, &rules);
        self.rules.rules.splice(0..0, first);
    }

    /// Adds rules to merge, apart from those in CEL.
    fn add_part(&mut self, rules: &Validation) {
        let mut part = rules.clone();
        part.rules.clear();
        if part != Validation::default() {
            self.parts.push(part);
        }
    }

    /// Adds the fields of a struct that is not read from source, has the path and is embedded at
    /// `depth`.
    fn add(
        &mut self,
        depth: usize,
        place: &Place,
        path: &str,
        fields: impl Iterator<Item = Field>,
    ) {
        let within = self.next_struct();
        let from = self.candidates.len();
        let outer = self.within.iter().map(String::as_str);
        let embedded_in: Vec<String> = outer.chain([path]).map(str::to_owned).collect();
        let fields = fields.map(|field| Field {
            embedded_in: embedded_in.clone(),
            ..field
        });
        self.candidates.extend(fields.map(|field| Candidate {
            depth: depth + 1,
            tagged: true,
            within,
            merged_at: 0,
            place: place.clone(),
            field,
        }));
        self.complete(within, from, false);
    }
}

fn gather(
    refs: &mut Refs<'_, '_>,
    owner: &Owner<'_>,
    sources: &[go::Field],
    depth: usize,
    through_pointer: bool,
    gathered: &mut Gathered,
) {
    let within = gathered.next_struct();
    let from = gathered.candidates.len();
    for source in sources {
        let tag = JsonTag::of(source);
        if tag.skip {
            continue;
        }
        json_tag::check(refs, source);
        let embeds = source.embedded && tag.name.is_none();
        // encoding/json ignores unexported fields.
        let is_exported = source.name.starts_with(char::is_uppercase);
        if tag.inline && !embeds && is_exported {
            json_tag::warn_of_inline(refs, source, &tag);
        }
        let inlined = inlines(refs, source, &tag);
        if (embeds || inlined) && embed(refs, owner, source, depth, through_pointer, gathered) {
            continue;
        }
        if !is_exported {
            continue;
        }
        let mut field = field(refs, owner, source, &tag);
        if inlined && is_undeclared(source) {
            field.undeclared = true;
            let rules = own_rules(refs, source);
            gathered.add_part(&rules);
            gathered.add_rules(rules);
        }
        if through_pointer && !field.option {
            field.option = true;
            field.required = false;
        }
        field.embedded_in.clone_from(&gathered.within);
        gathered.candidates.push(Candidate {
            depth,
            tagged: tag.name.is_some(),
            within,
            merged_at: 0,
            place: source.place.clone(),
            field,
        });
    }
    gathered.complete(within, from, owner.root);
}

/// Whether a field that Go does not embed is inlined because of its tag, as controller-gen does.
fn inlines(refs: &Refs<'_, '_>, source: &go::Field, tag: &JsonTag<'_>) -> bool {
    let embeds = source.embedded && tag.name.is_none();
    tag.inlined && !embeds && !tag.skip && !refs.cx.options.compat.is_strict()
}

/// Returns the embedded field that marshals the whole struct: its type has `MarshalJSON`, and there
/// are no other fields. The JSON of `struct { runtime.RawExtension }` is that of the extension. For
/// controller-gen, this also applies to a map with the option `inline`, whether or not the struct
/// has a `MarshalJSON`.
pub(super) fn writer<'s>(
    refs: &Refs<'_, '_>,
    sources: &'s [go::Field],
    marshals: Option<Marshals>,
) -> Option<&'s go::Field> {
    let [source] = sources else {
        return None;
    };
    let tag = JsonTag::of(source);
    if inlines(refs, source, &tag) && !is_undeclared(source) && refs.is_map(&source.ty) {
        return Some(source);
    }
    if marshals.is_some() {
        return None;
    }
    let embeds = source.embedded && tag.name.is_none() && !tag.skip;
    let (package, name) = refs.cx.named(refs.package, &source.ty)?;
    if !embeds {
        return None;
    }
    // Some types need the serde attributes of their fields, which an alias cannot carry.
    let can_alias = match well_known::special(package, name) {
        Some(ty) => well_known::writes_itself(package, name) && !ty.is_encoded(),
        None => {
            let declared = refs.cx.declared(package, name)?;
            let is_struct = matches!(declared.decl.ty, Type::Struct(_));
            !is_struct && declared.pkg.marshals(name) == Some(Marshals::Json)
        }
    };
    can_alias.then_some(source)
}

/// Inlines the fields of an embedded struct. Returns `false` if the type is not a struct, and so is
/// a field named after its type.
fn embed(
    refs: &mut Refs<'_, '_>,
    owner: &Owner<'_>,
    source: &go::Field,
    depth: usize,
    through_pointer: bool,
    gathered: &mut Gathered,
) -> bool {
    let cx = refs.cx;
    let Some((package, name)) = cx.named(refs.package, &source.ty) else {
        return false;
    };
    if depth > MAX_DEPTH {
        return true;
    }
    if (package, name) == (META, "TypeMeta") {
        if !owner.root {
            let path = refs.schema_path(package, name);
            gathered.add(depth, &source.place, &path, type_meta(&source.place));
        }
        return true;
    }
    if well_known::special(package, name).is_some() {
        if well_known::writes_itself(package, name) {
            warn_of_writer(refs, source, name, "it is treated as a field anyway");
        }
        return false;
    }
    let end = match cx.end(package, name) {
        Some(End::Declared(end)) => end,
        Some(End::Elsewhere(package, name)) if well_known::special(package, name).is_none() => {
            return embed_builtin(refs, source, (package, name), depth, gathered);
        }
        Some(End::Elsewhere(..)) | None => return false,
    };
    let Type::Struct(inner) = &end.decl.ty else {
        return false;
    };
    let pkg = cx.pkg(package);
    if pkg.is_some_and(|pkg| pkg.marshals(name).is_some()) {
        warn_of_writer(refs, source, name, "its fields are used anyway");
    }
    if !gathered.enter(package, name, depth) {
        let rules = own_rules(refs, source);
        gathered.add_part(&rules);
        gathered.add_rules(rules);
        return true;
    }
    let pointer = through_pointer || matches!(source.ty, Type::Pointer(_));
    let from = gathered.candidates.len();
    let inner_owner = Owner {
        package: end.pkg.package,
        root: false,
    };
    let mut all = own_rules(refs, source);
    let own = all.clone();
    let parts = gathered.parts.len();
    let outer = std::mem::take(&mut gathered.rules);
    gathered.within.push(refs.schema_path(package, name));
    let mut inner_refs = refs.of(end.pkg.package);
    gather(
        &mut inner_refs,
        &inner_owner,
        inner,
        depth + 1,
        pointer,
        gathered,
    );
    gathered.within.pop();
    let below = std::mem::replace(&mut gathered.rules, outer);
    if is_undeclared(source) {
        gathered.parts.truncate(parts);
    } else {
        all.rules
            .extend(immutable_rules(&inner_refs, &inner_owner, inner, pointer));
        let of_struct = object_rules(refs, &end.decl.markers);
        gathered.add_part(&of_struct);
        merge::fill(&mut all, &of_struct);
        merge::fill(&mut all, &below);
    }
    gathered.add_part(&own);
    gathered.add_rules(all);
    gathered.leave_out(from, source);
    true
}

/// Warns that a struct's JSON does not consist of its fields, since an embedded type has
/// `MarshalJSON`.
fn warn_of_writer(refs: &mut Refs<'_, '_>, source: &go::Field, name: &str, read: &str) {
    refs.diagnostics.push(
        Diagnostic::warning(format!(
            "`{name}` is embedded and marshals itself, so Go encodes the whole struct with it"
        ))
        .at(source.place.clone(), read)
        .help("give the field a name with `json:\"…\"`"),
    );
}

/// Returns the rules of an embedded field, which apply to the embedding struct and take precedence
/// over those of the embedded type.
fn own_rules(refs: &mut Refs<'_, '_>, source: &go::Field) -> Validation {
    object_rules(refs, &source.markers)
}

fn object_rules(refs: &mut Refs<'_, '_>, markers: &MarkerSet) -> Validation {
    let object = TypeRef::Map(Box::new(TypeRef::Any));
    rules(refs.cx, markers, &object, refs.home, refs.diagnostics)
}

/// Inlines a Kubernetes struct whose source is missing, from the built-in table.
fn embed_builtin(
    refs: &mut Refs<'_, '_>,
    source: &go::Field,
    (package, name): (&str, &str),
    depth: usize,
    gathered: &mut Gathered,
) -> bool {
    let def = builtin::go_type(package, name);
    match def.map(|def| (def.kind, def.validation)) {
        Some((TypeKind::Struct(def), rules)) => {
            let from = gathered.candidates.len();
            let mut all = own_rules(refs, source);
            let own = all.clone();
            if !is_undeclared(source) {
                gathered.add_part(&rules);
                merge::fill(&mut all, &rules);
            }
            gathered.add_part(&own);
            gathered.add_rules(all);
            let fields = def.fields.into_iter().map(|mut field| {
                field.ty = builtin::resolved(field.ty);
                field
            });
            let path = refs.schema_path(package, name);
            gathered.add(depth, &source.place, &path, fields);
            gathered.leave_out(from, source);
            true
        }
        Some(_) => false,
        None => {
            refs.unread(package, name, &source.place, Use::Embedded);
            true
        }
    }
}

/// Returns the fields of a TypeMeta within an object.
fn type_meta(place: &Place) -> impl Iterator<Item = Field> {
    let docs = [
        (
            "kind",
            "Kind",
            "Kind is a string value representing the REST resource this object represents.\nServers may infer this from the endpoint the client submits requests to.\nCannot be updated.\nIn CamelCase.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
        ),
        (
            "apiVersion",
            "APIVersion",
            "APIVersion defines the versioned schema of this representation of an object.\nServers should convert recognized schemas to the latest internal value, and\nmay reject unrecognized values.\nMore info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources",
        ),
    ];
    let declared = DeclaredAt::at(place);
    docs.into_iter().map(move |(json_name, name, docs)| Field {
        docs: docs.to_owned(),
        go: Some(GoField {
            name: name.to_owned(),
            omits: Omission::Empty,
            pointer: false,
            required: false,
            value: GoValue::Plain,
        }),
        declared: declared.clone(),
        ..Field::optional(json_name, TypeRef::String)
    })
}
