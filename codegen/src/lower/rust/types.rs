//! Converts items to [`TypeDef`]s.

use std::collections::{BTreeMap, btree_map::Entry};

use super::{
    Cx, at_item, attributes, checks, has_derive,
    wire_names::{report_not_read, wire_name},
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    lower::{
        apply_unchanged, conversion, one_of,
        presence::{Requirement, default, marked_requirement},
        validation::{self, immutable_once_set},
    },
    model::{
        Aliasing, DeclaredAt, Field, RustItem, StructDef, TypeDef, TypeKind, TypeRef, Validation,
        WireType, names::Renamed,
    },
    read::{
        markers::{
            field::{Nullable, SkipDescription},
            object::{DeepCopy, DeepCopyGen, ObjectGenerate},
        },
        rust::{self, Body, Fields, Item, Layout, Renaming, Style},
    },
};

impl Cx<'_> {
    pub(super) fn type_def(&self, item: &Item, diagnostics: &mut Diagnostics) -> TypeDef {
        self.check_generics(item, diagnostics);
        let kind = match &item.body {
            Body::Alias(ty) => TypeKind::Alias(Aliasing {
                target: self.reference(item, ty, diagnostics),
                newtype: false,
            }),
            Body::Struct(fields) => self.struct_kind(item, fields, diagnostics),
            Body::Enum(variants) => self.enum_kind(item, variants, diagnostics),
        };
        let wire = self.wire_type(&TypeRef::Local(self.key(item).to_owned()));
        let mut validation =
            validation::of_markers(&item.markers, wire, WireType::Unknown, diagnostics);
        add_immutable(&mut validation, &kind, &item.body);
        self.complete(&item.schema, &item.markers, None, &mut validation);
        let written = match &item.body {
            Body::Alias(written) => Some(written),
            Body::Struct(_) => item.transparent_field().map(|only| &only.ty),
            Body::Enum(_) => None,
        };
        if let (TypeKind::Alias(alias), Some(written)) = (&kind, written) {
            self.bound_arrays(item.module, written, &alias.target, &mut validation);
        }
        one_of::check(&item.markers, &kind, diagnostics);
        TypeDef {
            name: self.key(item).to_owned(),
            docs: item.docs.clone(),
            path: item.name.clone(),
            shared: false,
            kind,
            validation,
            item: Some(self.rust_item(item, diagnostics)),
            marshals: None,
            whole: self.is_whole(item),
            converted_by_hand: conversion::is_by_hand(&item.markers),
            declared: DeclaredAt::marked(&item.place, item.markers.places()),
        }
    }

    fn rust_item(&self, item: &Item, diagnostics: &mut Diagnostics) -> RustItem {
        let deepcopy = self.wants_clone(item);
        let object = self.is_object(item);
        let impls = self.impls_of(item).iter();
        let mut impls: Vec<String> = impls.map(|found| found.trait_name.clone()).collect();
        impls.sort();
        impls.dedup();
        let path = self.path_outside(item, &item.name);
        let generated = RustItem {
            module: self.seen_module(item),
            derives: item.derives.clone(),
            impls,
            deepcopy,
            object,
            kube_derive: item.kube.is_some(),
            transparent: item.serde.transparent,
            generics: item.generics.text.clone(),
            exported: path.is_some() || !self.is_reexported() && self.is_exported(item),
            path,
            cfg: self.conditions(item),
            clone_if: item.clone_if.clone(),
            derived: self.derived_type(item),
        };
        if self.options.emits(crate::generator::Generator::Deepcopy) && !self.is_reexported() {
            self.check_access(item, &generated, diagnostics);
        }
        generated
    }

    /// Whether apply configurations use the type unchanged: because of markers, or since its fields
    /// do not match the wire format.
    fn is_whole(&self, item: &Item) -> bool {
        apply_unchanged::is_marked(&item.markers, &self.package.markers)
            || item.serde.through.is_some()
            || self.has_impl(item, "Serialize")
    }

    /// Whether `Clone` is requested: by the type's own markers, or else by the package's, or
    /// because it is an object.
    fn wants_clone(&self, item: &Item) -> bool {
        if let Some(own) = item.markers.get::<DeepCopyGen>() {
            return own.scope.value == DeepCopy::Type;
        }
        if let Some(own) = item.markers.get::<ObjectGenerate>() {
            return own.value;
        }
        let package = &self.package.markers;
        let deepcopy = package.get::<DeepCopyGen>();
        let generate = package.get::<ObjectGenerate>();
        self.is_object(item)
            || deepcopy.is_some_and(|marker| marker.scope.value == DeepCopy::Package)
            || generate.is_some_and(|marker| marker.value)
    }

    fn check_generics(&self, item: &Item, diagnostics: &mut Diagnostics) {
        let generics = &item.generics;
        let root = self.is_object(item) || item.kube.is_some();
        // kube's root holds the spec without arguments.
        let has_defaults = item.kube.is_some()
            && generics.defaults.len() == generics.names.len()
            && generics.defaults.iter().all(Option::is_some);
        if let Some(place) = &generics.lifetime {
            diagnostics.push(
                Diagnostic::error(format!(
                    "`{}` borrows, but an API type owns its data",
                    item.name
                ))
                .at(place.clone(), "a lifetime")
                .help("use types that own their data, such as String"),
            );
        } else if let Some(place) = generics
            .where_clause
            .as_ref()
            .filter(|_| self.wants_clone(item) || root)
        {
            diagnostics.push(
                Diagnostic::error(format!(
                    "nothing can be generated for `{}`, which has a where clause",
                    item.name
                ))
                .at(place.clone(), "not supported")
                .help("derive Clone and mark the type `+k8s:deepcopy-gen=false`"),
            );
        } else if let Some(place) = generics.place.as_ref().filter(|_| root && !has_defaults) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "`{}` is an API object and cannot be generic",
                    item.name
                ))
                .at(place.clone(), "parameters of an object")
                .help("write one object type for each instance; nested types may be generic"),
            );
        }
    }

    fn struct_kind(&self, item: &Item, fields: &Fields, diagnostics: &mut Diagnostics) -> TypeKind {
        let is_newtype = fields.style == Style::Tuple && fields.fields.len() == 1;
        let only = item.transparent_field();
        if let Some(only) = only.filter(|_| is_newtype || self.package.layout == Layout::Crate) {
            return TypeKind::Alias(Aliasing {
                target: self.reference(item, &only.ty, diagnostics),
                newtype: true,
            });
        }
        if item.serde.transparent && self.package.layout != Layout::Crate {
            diagnostics.push(
                at_item(
                    item,
                    format!("`{}` is transparent but not a tuple struct", item.name),
                    "has named fields",
                )
                .help("write it as a tuple struct of one field"),
            );
        }
        let owner = Owner {
            item,
            case: self.field_case(item),
            reading: item.serde.for_reading(Renaming::All),
            defaults: item.serde.default,
        };
        let fields_def = self.fields(&owner, &fields.fields, diagnostics);
        TypeKind::Struct(StructDef {
            fields: fields_def,
            unknown_fields: crate::model::UnknownFields::Pruned,
            tuple: fields.style != Style::Named,
            ..StructDef::default()
        })
    }

    /// Returns the case of a struct's fields on the wire: from its serde attributes, or else camel
    /// case if serde is generated, by the Kubernetes API conventions.
    fn field_case<'i>(&self, item: &'i Item) -> Option<&'i str> {
        let own = item.serde.rename_all.as_deref();
        own.or(self.serde_is_generated(item).then_some("camelCase"))
    }

    /// Whether `Serialize` or `Deserialize` is generated for the type.
    pub(super) fn serde_is_generated(&self, item: &Item) -> bool {
        let by_hand = ["Serialize", "Deserialize"].map(|name| self.has_impl(item, name));
        self.is_object(item) && by_hand.contains(&false)
    }

    pub(super) fn has_impl(&self, item: &Item, name: &str) -> bool {
        let mut impls = self.impls_of(item).iter();
        impls.any(|found| found.trait_name == name)
    }

    pub(super) fn fields(
        &self,
        owner: &Owner<'_>,
        fields: &[rust::Field],
        diagnostics: &mut Diagnostics,
    ) -> Vec<Field> {
        let lowered: Vec<Field> = fields
            .iter()
            .map(|field| self.field(owner, field, diagnostics))
            .collect();
        let on_wire = lowered
            .iter()
            .zip(fields)
            .filter(|(field, _)| !field.skip && !field.flatten)
            .map(|(field, source)| (field.json_name.as_str(), &source.place));
        report_same_names("fields", on_wire, diagnostics);
        if !self.is_object(owner.item) {
            report_nulls(owner.item, &lowered, fields, diagnostics);
            if owner.case.is_none() {
                checks::report_snake_case(owner.item, &lowered, fields, diagnostics);
            }
        }
        lowered
    }

    fn field(
        &self,
        owner: &Owner<'_>,
        field: &rust::Field,
        diagnostics: &mut Diagnostics,
    ) -> Field {
        let serde = &field.serde;
        let mut unheard = Diagnostics::new();
        let found = match serde.skip && self.package.layout == Layout::Crate {
            // Nothing refers to it.
            true => &mut unheard,
            false => &mut *diagnostics,
        };
        let reference = self.reference(owner.item, &field.ty, found);
        let (ty, option) = match &reference {
            TypeRef::Optional(inner) => (TypeRef::clone(inner), true),
            other => (other.clone(), false),
        };
        let with = field.schema.with.as_ref();
        let with = with.map(|with| self.reference(owner.item, with, diagnostics));
        let schema_type = with.as_ref().unwrap_or(&reference);
        let markers = &field.markers;
        let has_default = has_default(owner, field);
        // schemars knows an `Option` only by its type.
        let may_be_none =
            matches!(schema_type, TypeRef::Optional(_)) && field.schema.schema_with.is_none();
        let requirement = self.requirement(owner, field, may_be_none, has_default, diagnostics);
        let required = requirement == Requirement::Required;
        let validation = self.field_rules(owner, field, schema_type, diagnostics);
        let json_name = wire_name(
            &field.name,
            serde,
            owner.case,
            Renamed::Field,
            &field.place,
            diagnostics,
        );
        if !serde.flatten {
            let wire = (json_name.as_str(), owner.reading, Renamed::Field);
            report_not_read(
                owner.item,
                (&field.name, serde),
                wire,
                &field.place,
                diagnostics,
            );
        }
        let said = (json_name.as_str(), schema_type, required);
        Field {
            derived: self.derived_field(owner.item, field, said),
            json_name,
            rust_name: field.name.clone(),
            docs: if markers.has::<SkipDescription>() {
                String::new()
            } else {
                field.docs.clone()
            },
            option,
            required,
            demanded: marked_requirement(markers) == Some(Requirement::Required),
            nullable: markers.has::<Nullable>()
                || (required && may_be_none && field.schema.required.is_none())
                || matches!(ty, TypeRef::Optional(_)),
            sparse: false,
            default: default(markers, &ty),
            flatten: serde.flatten,
            undeclared: attributes::is_undeclared(field),
            merged: Vec::new(),
            embedded_in: Vec::new(),
            hashed: false,
            with: serde.with,
            skip: serde.skip,
            conversion: conversion::of_field(markers),
            validation,
            go: None,
            declared: DeclaredAt::marked(&field.place, field.markers.places()),
            ty,
        }
    }

    /// The rules of a field whose schema is that of a type.
    fn field_rules(
        &self,
        owner: &Owner<'_>,
        field: &rust::Field,
        schema_type: &TypeRef,
        diagnostics: &mut Diagnostics,
    ) -> Validation {
        let (serde, schema, markers) = (&field.serde, &field.schema, &field.markers);
        let wire = if serde.with && schema.with.is_none() {
            WireType::Unknown
        } else {
            self.wire_type(schema_type)
        };
        let items = self.element_type(schema_type);
        let mut rules = validation::of_markers(markers, wire, items, diagnostics);
        if !serde.with {
            let written = schema.with.as_ref().unwrap_or(&field.ty);
            self.bound_arrays(owner.item.module, written, schema_type, &mut rules);
        }
        let alone = Some(schema_type).filter(|ty| !is_collection(ty));
        self.complete(schema, markers, alone, &mut rules);
        rules
    }

    /// Whether a field is required: by its markers, else its type, else the markers of the type and
    /// the package.
    fn requirement(
        &self,
        owner: &Owner<'_>,
        field: &rust::Field,
        option: bool,
        has_default: bool,
        diagnostics: &mut Diagnostics,
    ) -> Requirement {
        if let Some(marked) = marked_requirement(&field.markers) {
            let readable = option || has_default || field.serde.skip || field.serde.flatten;
            let own_serde = self.is_object(owner.item) || !has_derive(owner.item, "Deserialize");
            if marked == Requirement::Optional && !readable && !own_serde {
                diagnostics.push(
                    Diagnostic::error(format!(
                        "`{}` is optional, but its type cannot be read when it is absent",
                        field.name
                    ))
                    .at(field.place.clone(), "neither an Option nor with a default")
                    .help("make it an Option, or add `#[serde(default)]`"),
                );
            }
            return marked;
        }
        let by_default = marked_requirement(&owner.item.markers)
            .or_else(|| marked_requirement(&self.package.markers));
        if option
            || has_default
            || field.serde.skip_deserializing
            || by_default == Some(Requirement::Optional)
        {
            Requirement::Optional
        } else {
            Requirement::Required
        }
    }
}

fn is_collection(ty: &TypeRef) -> bool {
    match ty {
        TypeRef::List(_) | TypeRef::Map(_) => true,
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => is_collection(inner),
        _ => false,
    }
}

/// Whether serde, or only the schema, has a default for a field.
fn has_default(owner: &Owner<'_>, field: &rust::Field) -> bool {
    let is_taken_back = field
        .schema
        .unset
        .iter()
        .any(|name| name.value == "default");
    let has_own = field.serde.default || field.schema.default.is_some();
    !is_taken_back && (has_own || owner.defaults)
}

/// The context shared by the fields of a struct or variant.
pub(super) struct Owner<'a> {
    pub(super) item: &'a Item,
    /// The case for writing.
    pub(super) case: Option<&'a str>,
    /// The case for reading.
    pub(super) reading: Option<&'a str>,
    pub(super) defaults: bool,
}

/// Reports duplicate names on the wire.
pub(super) fn report_same_names<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a str, &'a Place)>,
    diagnostics: &mut Diagnostics,
) {
    let mut first: BTreeMap<&str, &Place> = BTreeMap::new();
    for (name, place) in names {
        match first.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(place);
            }
            Entry::Occupied(entry) => diagnostics.push(
                Diagnostic::error(format!("two {what} are named `{name}` on the wire"))
                    .at(place.clone(), "this one")
                    .at((*entry.get()).clone(), "and this one"),
            ),
        }
    }
}

/// Warns about optional fields that the author's serde implementation writes as null: the API
/// server rejects null unless the schema allows it, and then treats it as a value.
fn report_nulls(
    item: &Item,
    lowered: &[Field],
    fields: &[rust::Field],
    diagnostics: &mut Diagnostics,
) {
    // An attribute such as `serde_with::skip_serializing_none` may omit them, and a schema that
    // schemars derives allows null.
    let is_permitted = attributes::derives_schema(item);
    if !has_derive(item, "Serialize") || item.has_attribute_macros || is_permitted {
        return;
    }
    let written = lowered.iter().zip(fields).filter(|(field, source)| {
        let serde = &source.serde;
        let left_out = serde.skip_if || serde.skip_serializing || field.skip || field.flatten;
        field.option && !field.nullable && !left_out && !serde.with
    });
    let mut written = written.map(|(_, source)| source);
    let Some(first) = written.next() else {
        return;
    };
    let names: Vec<String> = std::iter::once(first)
        .chain(written)
        .map(|field| format!("`{}`", field.name))
        .collect();
    diagnostics.push(
        Diagnostic::warning(format!(
            "`{}` is serialized with null if {} {} `None`",
            item.name,
            names.join(", "),
            if names.len() == 1 { "is" } else { "are" }
        ))
        .at(first.place.clone(), "an Option without skip_serializing_if")
        .help("add `#[serde(skip_serializing_if = \"Option::is_none\")]`, or mark the field `+nullable`"),
    );
}

/// Adds rules that keep optional immutable fields from being removed, before the struct's own
/// rules.
fn add_immutable(validation: &mut Validation, kind: &TypeKind, body: &Body) {
    let (TypeKind::Struct(def), Body::Struct(fields)) = (kind, body) else {
        return;
    };
    let fields = def.fields.iter().zip(&fields.fields);
    let optional = fields.filter(|(field, _)| !field.required);
    let rules = optional
        .filter_map(|(field, source)| immutable_once_set(&field.json_name, &source.markers));
    validation.rules.splice(0..0, rules);
}
