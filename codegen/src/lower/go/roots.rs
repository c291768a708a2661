//! Finds roots: the API objects among a package's types, and their resources.

use std::collections::BTreeSet;

use super::{cx::Cx, json_tag::json_name, refs::Reached};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    lower::{methods, object, verbs},
    model::{CustomMethod, Resource, TypeRef, VerbSet},
    options::Options,
    read::{
        go::{ConstValue, EnumLiteral, Field, META, Package, Type, TypeDecl},
        markers::{
            At, MarkerSet,
            client::{GenClient, NoStatus},
            crd::{Skip, SkipVersion, StatusSubresource},
            object::{DeepCopyInterfaces, ObjectRoot},
            package::GroupName,
        },
    },
};

/// The role of a declaration, by its fields and markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An object with TypeMeta and ObjectMeta.
    Root,
    /// An object that controller-gen does not recognise as a kind.
    Unseen,
    /// A list of objects, which has no separate Rust type.
    List,
    /// An object without metadata, such as one for a configuration file.
    Object,
    /// Any other type.
    Plain,
}

pub(super) fn role(cx: &Cx<'_>, package: &Package, decl: &TypeDecl) -> Role {
    let Some(found) = structure(cx, package, decl) else {
        return Role::Plain;
    };
    let has = |wanted: &str| meta(cx, found.package, found.fields, wanted);
    if has("TypeMeta").is_none() || decl.markers.has::<SkipVersion>() {
        return Role::Plain;
    }
    if has("ObjectMeta").is_some_and(|field| json_name(field) == Some("metadata")) {
        let is_kind = || group_of(package).is_none_or(|group| cx.is_kind(group, &decl.name));
        return match cx.options.compat.is_strict() || is_kind() {
            true => Role::Root,
            false => Role::Unseen,
        };
    }
    if has("ListMeta").is_some() && decl.name.ends_with("List") {
        return Role::List;
    }
    if is_marked(decl) {
        Role::Object
    } else {
        Role::Plain
    }
}

/// Returns the kinds that requested packages declare as structs, by group and name. controller-gen
/// identifies them by their embedded types, and does not follow aliases or pointers there.
pub(super) fn kinds<'a>(cx: &Cx<'_>, packages: &'a [Package]) -> BTreeSet<(&'a str, &'a str)> {
    let strict = cx.options.compat.is_strict();
    let is_plain = |field: &Field| field.embedded && matches!(field.ty, Type::Imported(..));
    let is_object = |package: &Package, decl: &TypeDecl| match &decl.ty {
        Type::Struct(fields) => ["TypeMeta", "ObjectMeta"].iter().all(|wanted| {
            meta(cx, package, fields, wanted).is_some_and(|field| strict || is_plain(field))
        }),
        _ => false,
    };
    let requested = packages
        .iter()
        .filter(|package| package.requested && !package.markers.has::<Skip>());
    let named = requested.filter_map(|package| Some((package, group_of(package)?)));
    let kinds = named.flat_map(|(package, group)| {
        let objects = package.types.iter();
        objects
            .filter(move |decl| is_object(package, decl))
            .map(move |decl| (group, decl.name.as_str()))
    });
    kinds.collect()
}

/// The struct of an object.
pub(super) struct Struct<'c> {
    /// The package whose names its fields use.
    pub(super) package: &'c Package,
    pub(super) decl: &'c TypeDecl,
    pub(super) fields: &'c [Field],
}

/// Returns the struct of a type. For `type Disk v2.Disk` and `type Disk = v2.Disk`, that is the
/// struct at the end of the chain, provided that the type is a version of a kind: another package
/// of the group has a kind with the name, or the struct is that kind.
pub(super) fn structure<'c>(
    cx: &'c Cx<'_>,
    package: &'c Package,
    decl: &'c TypeDecl,
) -> Option<Struct<'c>> {
    let (declaring, declared) = match &decl.ty {
        Type::Imported(..) | Type::Local(..) => {
            let end = cx.underlying(&package.path, &decl.name)?;
            let group = group_of(package)?;
            let is_that = end.decl.name == decl.name && group_of(end.pkg.package) == Some(group);
            let is_version = is_that || cx.is_kind(group, &decl.name);
            is_version.then_some((end.pkg.package, end.decl))?
        }
        _ => (package, decl),
    };
    match &declared.ty {
        Type::Struct(fields) => Some(Struct {
            package: declaring,
            decl: declared,
            fields,
        }),
        _ => None,
    }
}

/// Returns the group from the package's markers, or else from its constant `GroupName`, as in
/// Kubernetes' own APIs.
pub(super) fn group_of(package: &Package) -> Option<&str> {
    let mut markers = package.markers.0.iter();
    if let Some(marker) = markers.find(|marker| marker.is::<GroupName>()) {
        return marker.argument("")?.value.as_str();
    }
    let mut constants = package.consts.iter();
    let named = constants.find(|constant| constant.name == "GroupName")?;
    match &named.value {
        ConstValue::Literal(EnumLiteral::String(group)) => Some(group.as_str()),
        _ => None,
    }
}

/// Whether markers declare the type an API object.
/// Whether the type's own marker declares it an object.
pub(super) fn is_declared_root(decl: &TypeDecl) -> bool {
    let root = decl.markers.get::<ObjectRoot>();
    root.is_some_and(|root| root.value)
}

fn is_marked(decl: &TypeDecl) -> bool {
    let markers = &decl.markers;
    is_declared_root(decl) || markers.has::<DeepCopyInterfaces>() || markers.has::<GenClient>()
}

fn meta<'f>(
    cx: &Cx<'_>,
    package: &Package,
    fields: &'f [Field],
    wanted: &str,
) -> Option<&'f Field> {
    let mut fields = fields.iter();
    fields.find(|field| cx.named(package, &field.ty) == Some((META, wanted)))
}

/// The types that client methods may refer to: those of the package.
pub(super) struct ByName<'c, 'a> {
    pub(super) cx: &'c Cx<'a>,
    pub(super) package: &'c Package,
}

fn client_methods(
    names: &ByName<'_, '_>,
    markers: &MarkerSet,
    verbs: &VerbSet,
    reached: &mut Vec<Reached>,
    diagnostics: &mut Diagnostics,
) -> Vec<CustomMethod> {
    let (cx, package) = (names.cx, names.package);
    let mut local = |argument: &At<String>, diagnostics: &mut Diagnostics| {
        let name = argument.value.as_str();
        if cx.declared(&package.path, name).is_some() {
            reached.push(Reached::Generated(package.path.clone(), name.to_owned()));
            return Some(TypeRef::Local(cx.rust_name(&package.path, name)));
        }
        let names = package.types.iter().map(|decl| decl.name.as_str());
        diagnostics.push(methods::unknown_type(argument, names));
        None
    };
    methods::of_markers(markers, verbs, &mut local, diagnostics)
}

/// Builds the resource of a root, with the types that its methods reach.
pub(super) fn resource(
    decl: &TypeDecl,
    root: &str,
    methods: &ByName<'_, '_>,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> (Resource, Vec<Reached>) {
    let markers = &decl.markers;
    let status = has_status(methods, decl, options, diagnostics);
    let verbs = verbs::verbs(markers, status, diagnostics);
    let mut reached = Vec::new();
    let mut methods = client_methods(methods, markers, &verbs, &mut reached, diagnostics);
    // Only a warning: each of Go's tools reads only its own markers, so such contradictions go
    // unnoticed.
    for found in object::contradictions(markers) {
        let severity = Severity::Warning;
        diagnostics.push(Diagnostic { severity, ..found });
    }
    let read = (markers, options.compat);
    let common = object::resource(&decl.name, (root, &decl.place), verbs, read, diagnostics);
    let by_hand = methods
        .iter()
        .any(|method| method.subresource.as_deref() == Some("scale"));
    if common.scale_subresource.is_some() && !by_hand {
        methods.extend(CustomMethod::of_scale());
    }
    let resource = Resource {
        status_subresource: status,
        methods,
        ..common
    };
    (resource, reached)
}

/// Whether `/status` is a subresource: controller-gen's marker decides. For a type without any of
/// its markers, such as one for client-gen only, the field decides.
fn has_status(
    names: &ByName<'_, '_>,
    decl: &TypeDecl,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> bool {
    let markers = &decl.markers;
    let Some(found) = structure(names.cx, names.package, decl) else {
        return false;
    };
    let has_field = found.fields.iter().any(|field| field.name == "Status");
    if let Some(marker) = markers.get::<StatusSubresource>() {
        if !has_field {
            diagnostics.push(
                Diagnostic::warning(format!(
                    "`{}` has a status subresource but no status",
                    decl.name
                ))
                .at(marker.place.clone(), "asks for it")
                .help("add the field `Status`, or remove the marker"),
            );
        }
        return true;
    }
    let of_controller_gen = markers
        .0
        .iter()
        .any(|marker| marker.def.name.starts_with("kubebuilder:"));
    let inferred = options.compat.is_strict() && !of_controller_gen;
    has_field && inferred && !markers.has::<NoStatus>()
}
