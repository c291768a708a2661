//! Fields: from Go's struct fields and their tags to [`Field`]s; what is embedded comes in its place.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    cx::End,
    dominant::{self, Candidate},
    json_tag::{self, JsonTag},
    marked::{docs, rules},
    merge,
    refs::{Ref, Refs, Use},
    well_known,
};
use crate::{
    builtin,
    diag::{Diagnostic, Place},
    lower::{
        presence::{Requirement, default, marked_requirement},
        validation::immutable_once_set,
    },
    model::{
        DeclaredAt, Field, GoField, KnownType, Marshals, Omission, StructDef, TypeKind, TypeRef,
        Validation, names::schema::field_names,
    },
    read::{
        go::{self, META, Package, Type},
        markers::{
            MarkerSet,
            field::{Nullable, Schemaless, ValidationOptional},
        },
    },
};

/// Names that the fields of a root have in Rust already.
const ROOT_FIELDS: &[&str] = &["api_version", "kind", "metadata", "unknown_fields"];

/// The struct that the fields are of.
pub(super) struct Owner<'a> {
    pub(super) package: &'a Package,
    /// Whether it is an API object, whose TypeMeta is implied and whose metadata is always there.
    pub(super) root: bool,
}

/// How deep structs may be embedded; the reader stops before.
const MAX_DEPTH: usize = 128;

/// The fields of a struct, with the rules of the structs that are embedded in it.
pub(super) fn fields(
    refs: &mut Refs<'_, '_>,
    owner: &Owner<'_>,
    sources: &[go::Field],
) -> (Vec<Field>, Validation) {
    let mut gathered = Gathered::default();
    gather(refs, owner, sources, 0, false, &mut gathered);
    let mut fields = dominant::fields(
        gathered.candidates,
        &gathered.doubled,
        |name| owner.root && name == "metadata",
        refs.cx.options.compat,
        refs.diagnostics,
    );
    // Schemas are made of definitions, and nothing that names their fields in Rust.
    if refs.absolute {
        return (fields, gathered.rules);
    }
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
    for field in &mut fields {
        field.rust_name = if is_meta(&field.json_name) {
            "metadata".to_owned()
        } else {
            rust_names.next().unwrap_or_default()
        };
    }
    (fields, gathered.rules)
}

#[derive(Default)]
struct Gathered {
    candidates: Vec<Candidate>,
    rules: Validation,
    /// The least depth at which each struct has been embedded, by package and name, and its number: what it gives again, deeper or as
    /// deep, loses.
    embedded: BTreeMap<(String, String), (usize, usize)>,
    /// The structs that are embedded twice at one depth, by number.
    doubled: BTreeSet<usize>,
    /// How many structs have been met.
    structs: usize,
}

impl Gathered {
    /// The number of a struct that has not been met before.
    fn next_struct(&mut self) -> usize {
        self.structs += 1;
        self.structs
    }

    /// Leaves the fields from a number on out of the schema, if what embeds them says so.
    fn leave_out(&mut self, from: usize, embeds: &go::Field) {
        if is_undeclared(embeds) {
            for candidate in self.candidates.iter_mut().skip(from) {
                candidate.field.undeclared = true;
            }
        }
    }

    /// Adds fields that are not read from source: those of a struct that is embedded at `depth`.
    fn add(&mut self, depth: usize, place: &Place, fields: impl Iterator<Item = Field>) {
        let within = self.next_struct();
        self.candidates.extend(fields.map(|field| Candidate {
            depth: depth + 1,
            tagged: true,
            within,
            place: place.clone(),
            field,
        }));
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
    for source in sources {
        let tag = JsonTag::of(source);
        if tag.skip {
            continue;
        }
        json_tag::check(refs, source);
        let embeds = source.embedded && tag.name.is_none();
        if embeds && embed(refs, owner, source, depth, through_pointer, gathered) {
            continue;
        }
        // encoding/json takes exported fields alone.
        if !source.name.starts_with(char::is_uppercase) {
            continue;
        }
        let mut field = field(refs, owner, source, &tag);
        if through_pointer && !field.option {
            field.option = true;
            field.required = false;
        }
        gathered.candidates.push(Candidate {
            depth,
            tagged: tag.name.is_some(),
            within,
            place: source.place.clone(),
            field,
        });
    }
}

/// The embedded field that writes the whole struct: its type has a `MarshalJSON`, and there is no other field. Of
/// `struct { runtime.RawExtension }`, JSON is that of the extension.
pub(super) fn writer<'s>(refs: &Refs<'_, '_>, sources: &'s [go::Field]) -> Option<&'s go::Field> {
    let [source] = sources else {
        return None;
    };
    let tag = JsonTag::of(source);
    let embeds = source.embedded && tag.name.is_none() && !tag.skip;
    let (package, name) = refs.cx.named(refs.package, &source.ty)?;
    if !embeds {
        return None;
    }
    // Some have a serde of their fields, which no alias carries.
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

/// Takes the fields of an embedded struct in; false if it is none, and so a field of its type's name.
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
            gathered.add(depth, &source.place, type_meta(&source.place));
        }
        return true;
    }
    if well_known::special(package, name).is_some() {
        if well_known::writes_itself(package, name) {
            warn_of_writer(refs, source, name, "it is read as a field nevertheless");
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
        warn_of_writer(refs, source, name, "its fields are read nevertheless");
    }
    let key = (package.to_owned(), name.to_owned());
    let next = gathered.structs + 1;
    let least = gathered.embedded.entry(key).or_insert((usize::MAX, 0));
    if least.0 <= depth {
        if least.0 == depth {
            gathered.doubled.insert(least.1);
        }
        add_rules(refs, source, gathered);
        return true;
    }
    *least = (depth, next);
    let pointer = through_pointer || matches!(source.ty, Type::Pointer(_));
    let from = gathered.candidates.len();
    let inner_owner = Owner {
        package: end.pkg.package,
        root: false,
    };
    add_rules(refs, source, gathered);
    if !is_undeclared(source) {
        let own = rules(
            refs.cx,
            &end.decl.markers,
            &TypeRef::Map(Box::new(TypeRef::Any)),
            refs.home,
            refs.diagnostics,
        );
        merge::fill(&mut gathered.rules, &own);
    }
    let mut inner_refs = refs.of(end.pkg.package);
    gather(
        &mut inner_refs,
        &inner_owner,
        inner,
        depth + 1,
        pointer,
        gathered,
    );
    gathered.leave_out(from, source);
    true
}

/// Says that the JSON of a struct is not that of its fields, since what it embeds has a `MarshalJSON`.
fn warn_of_writer(refs: &mut Refs<'_, '_>, source: &go::Field, name: &str, read: &str) {
    refs.diagnostics.push(
        Diagnostic::warning(format!(
            "`{name}` is embedded and writes itself, so Go writes the whole struct as it does"
        ))
        .at(source.place.clone(), read)
        .help("give the field a name by `json:\"…\"`"),
    );
}

/// Whether the schema says nothing of the fields of what is embedded.
fn is_undeclared(source: &go::Field) -> bool {
    source.markers.has::<Schemaless>()
}

/// The rules of an embedded field, which are those of the struct that embeds; before those of the embedded type.
fn add_rules(refs: &mut Refs<'_, '_>, source: &go::Field, gathered: &mut Gathered) {
    let object = TypeRef::Map(Box::new(TypeRef::Any));
    let rules = rules(
        refs.cx,
        &source.markers,
        &object,
        refs.home,
        refs.diagnostics,
    );
    merge::fill(&mut gathered.rules, &rules);
}

/// A struct of Kubernetes whose source is not there, as the built-in table has it.
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
            add_rules(refs, source, gathered);
            if !is_undeclared(source) {
                merge::fill(&mut gathered.rules, &rules);
            }
            let fields = def.fields.into_iter().map(|mut field| {
                field.ty = builtin::resolved(field.ty);
                field
            });
            gathered.add(depth, &source.place, fields);
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

/// The fields of a TypeMeta inside of an object.
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
        }),
        declared: declared.clone(),
        ..Field::optional(json_name, TypeRef::String)
    })
}

fn field(
    refs: &mut Refs<'_, '_>,
    owner: &Owner<'_>,
    source: &go::Field,
    tag: &JsonTag<'_>,
) -> Field {
    let markers = &source.markers;
    let mut found = refs.resolve(&source.ty, &source.place);
    if tag.quoted && refs.is_number(&source.ty, &found.ty) {
        quote(refs, source, &mut found);
    }
    let pointer = matches!(source.ty, Type::Pointer(_));
    let json_name = tag.name.unwrap_or(&source.name).to_owned();
    let is_meta = owner.root && json_name == "metadata";
    // A struct is never empty for Go's encoder.
    let omits = match tag.omits {
        Omission::Empty if !pointer && refs.is_struct(&source.ty) => Omission::Never,
        omits => omits,
    };
    let may_omit = match refs.cx.options.compat.is_strict() {
        true => tag.omits != Omission::Never,
        false => tag.omits_empty,
    };
    let marked = is_required(owner.package, markers, may_omit);
    let required = is_meta || marked;
    let mut validation = rules(refs.cx, markers, &found.ty, refs.home, refs.diagnostics);
    merge::fill(&mut validation, &found.validation);
    let docs = docs(&source.docs, markers);
    Field {
        rust_name: String::new(),
        docs: if docs.is_empty() { found.docs } else { docs },
        option: !is_meta && is_option(&found.ty, pointer, required, omits),
        required,
        nullable: markers.has::<Nullable>(),
        sparse: false,
        default: default(markers, &found.ty),
        flatten: false,
        skip: false,
        undeclared: false,
        hashed: false,
        with: false,
        derived: None,
        validation,
        go: Some(GoField {
            name: source.name.clone(),
            omits: tag.omits,
            pointer,
            required: marked,
        }),
        declared: DeclaredAt::marked(&source.place, source.markers.places()),
        ty: found.ty,
        json_name,
    }
}

/// Under `,string` Go writes numbers and booleans as text, whatever their types are called.
fn quote(refs: &mut Refs<'_, '_>, source: &go::Field, found: &mut Ref) {
    let strict = refs.cx.options.compat.is_strict();
    let consequence = match strict {
        true => "its schema and type are a string's",
        false => "its schema is a number's, as by controller-gen, and refuses what Go writes",
    };
    refs.diagnostics.push(
        Diagnostic::warning(format!(
            "`{}` is text in JSON: its tag has the option `string`",
            source.name
        ))
        .at(source.place.clone(), consequence)
        .help("declare a string, or take the option out of the tag"),
    );
    if strict {
        found.ty = TypeRef::String;
        found.validation = Validation::default();
    }
}

/// Markers first, then the package's default, under which what the encoder may leave out is optional.
fn is_required(package: &Package, markers: &MarkerSet, may_omit: bool) -> bool {
    match marked_requirement(markers) {
        Some(marked) => marked == Requirement::Required,
        None => !may_omit && !package.markers.has::<ValidationOptional>(),
    }
}

/// Whether the Rust field is an `Option`: where the encoder may write nothing or null, and where the schema lets the property
/// be missing. A required text, list or map that is left out when empty needs none.
fn is_option(ty: &TypeRef, pointer: bool, required: bool, omits: Omission) -> bool {
    let has_empty = matches!(ty, TypeRef::String | TypeRef::List(_) | TypeRef::Map(_));
    let zero_is_null = matches!(
        ty,
        TypeRef::Known(KnownType::Time | KnownType::MicroTime | KnownType::ByteString)
    );
    // A `Value` holds null by itself.
    if *ty == TypeRef::Any {
        return !required || omits != Omission::Never;
    }
    pointer || !required || zero_is_null || (omits != Omission::Never && !has_empty)
}

/// Adds the rules that keep optional immutable fields of a struct from being removed.
pub(super) fn add_immutable(validation: &mut Validation, def: &StructDef, ty: &Type) {
    let Type::Struct(sources) = ty else {
        return;
    };
    for source in sources {
        let tag = JsonTag::of(source);
        let name = tag.name.unwrap_or(&source.name);
        let Some(rule) = immutable_once_set(name, &source.markers) else {
            continue;
        };
        let field = def.fields.iter().find(|field| field.json_name == name);
        if field.is_some_and(|field| !field.required) {
            validation.rules.push(rule);
        }
    }
}
