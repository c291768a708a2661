//! Annotated Rust types of a kind that stands elsewhere: in a CRD, or in Go.
//!
//! The types are those that `kube-codegen crd` reads from the CRD, written as a user would: structs
//! with serde's derives, and markers for what Rust does not say. Whether they generate the same CRD
//! again is for the caller to compare: rules without a marker, such as `oneOf`, are left out. Start
//! at [`annotated`]; `rules` has the markers of rules, `names` the paths of types, `kind` the
//! markers of a kind.
//!
//! ```text
//! /// How many.
//! // +kubebuilder:validation:Minimum=0
//! #[serde(skip_serializing_if = "Option::is_none")]
//! pub replicas: Option<i32>,
//! ```

mod kind;
mod names;
mod rules;

use std::collections::BTreeSet;

use self::names::Paths;
use crate::{
    emit::{
        docs,
        serde_attributes::{Presence, serde_camel_case},
    },
    model::{
        EnumDef, EnumValues, Field, KnownType, Resource, StructDef, TypeDef, TypeKind, TypeRef,
        UnknownFields, Validation, Version, names as idents,
    },
};

/// rustfmt's width limits of a line, and of the arguments of an attribute on one line.
const LINE: usize = 100;
const ATTRIBUTE: usize = 70;

/// The format by which callers mark schemas of objects that have no properties and permit none.
pub const BARE_OBJECT: &str = "bare-object";

/// The types of a version that has one kind, which was read from a CRD. `storage` is whether the
/// version is marked as the one that is stored.
#[must_use]
pub fn annotated(version: &Version, resource: &Resource, storage: bool) -> String {
    let version = &with_exact_integers(version);
    let mut writer = Writer {
        paths: Paths::new(version),
        without_default: without_default(version),
        aliases: Vec::new(),
        body: String::new(),
    };
    // The kind comes first, its spec and status follow in the order of its fields.
    let mut types: Vec<&TypeDef> = version.types.iter().collect();
    types.sort_by_key(|def| (def.name != resource.root, depth(&def.path), &def.name));
    for def in types {
        if def.name == resource.root {
            writer.line("");
            for marker in kind::markers(version, resource, storage) {
                writer.line(&format!("// +{marker}"));
            }
            writer.item(def, true);
        } else {
            writer.line("");
            writer.item(def, false);
        }
    }
    writer.finish(&resource.kind)
}

/// The version with `isize`, which has no format in a schema, in place of 64-bit integers without
/// one: Go's `int`.
fn with_exact_integers(version: &Version) -> Version {
    let mut version = version.clone();
    for def in &mut version.types {
        if let TypeKind::Struct(body) = &mut def.kind {
            for field in &mut body.fields {
                exact_integers(&mut field.ty, Some(&field.validation));
            }
        }
    }
    version
}

fn exact_integers(ty: &mut TypeRef, rules: Option<&Validation>) {
    let element = || rules.and_then(|rules| rules.element.as_deref());
    match ty {
        TypeRef::Int64 if rules.is_none_or(|rules| rules.format.is_none()) => {
            *ty = TypeRef::Integer("isize".to_owned());
        }
        TypeRef::List(inner) | TypeRef::Map(inner) => exact_integers(inner, element()),
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => exact_integers(inner, rules),
        _ => {}
    }
}

/// How deep in its kind a type stands.
fn depth(path: &str) -> usize {
    path.matches('.').count()
}

/// The types without a default: those with a required time or condition, directly or in a struct.
fn without_default(version: &Version) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    loop {
        let lacks = |field: &Field| {
            let is_held = Presence::of(field) == Presence::Required;
            is_held
                && match &field.ty {
                    TypeRef::Known(
                        KnownType::Time | KnownType::MicroTime | KnownType::Condition,
                    ) => true,
                    TypeRef::Local(name) => found.contains(name.as_str()),
                    _ => false,
                }
        };
        let next = version.types.iter().find(|def| match &def.kind {
            TypeKind::Struct(body) => {
                !found.contains(def.name.as_str()) && body.fields.iter().any(lacks)
            }
            TypeKind::Enum(_) | TypeKind::Union(_) | TypeKind::Alias(_) => false,
        });
        match next {
            Some(def) => found.insert(def.name.as_str()),
            None => return found,
        };
    }
}

/// A file in the making.
struct Writer<'a> {
    paths: Paths<'a>,
    without_default: BTreeSet<&'a str>,
    /// Types of elements that have rules of their own, to be written after the others.
    aliases: Vec<String>,
    body: String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }

    fn docs(&mut self, indent: &str, lines: &[String]) {
        for line in lines {
            self.line(format!("{indent}/// {line}").trim_end());
        }
    }

    fn finish(mut self, kind: &str) -> String {
        for alias in std::mem::take(&mut self.aliases) {
            self.body.push('\n');
            self.body.push_str(&alias);
        }
        let imports = self.paths.imports();
        format!("//! The kind `{kind}`.\n\n{imports}{}", self.body)
    }

    fn item(&mut self, def: &TypeDef, is_root: bool) {
        let documentation = docs::lines(&def.docs);
        self.docs("", &documentation);
        match &def.kind {
            TypeKind::Struct(body) => self.structure(def, body, is_root),
            TypeKind::Enum(body) => self.enumeration(def, body),
            TypeKind::Alias(alias) => {
                self.rules("", &def.validation, &alias.target);
                let target = self.ty(&alias.target);
                self.line(&format!(
                    "pub type {} = {target};",
                    idents::ident(&def.name)
                ));
            }
            // Only annotated Rust has them.
            TypeKind::Union(_) => {}
        }
    }

    fn structure(&mut self, def: &TypeDef, body: &StructDef, is_root: bool) {
        let this = TypeRef::Local(def.name.clone());
        self.rules("", &def.validation, &this);
        let default = match self.without_default.contains(def.name.as_str()) {
            true => "",
            false => "Default, ",
        };
        if is_root {
            self.line(&format!("#[derive(Debug, {default}PartialEq)]"));
        } else {
            let (serialize, deserialize) = self.paths.serde();
            self.line(&format!(
                "#[derive(Debug, {default}PartialEq, {serialize}, {deserialize})]"
            ));
            self.line("#[serde(rename_all = \"camelCase\")]");
        }
        self.line(&format!("pub struct {} {{", idents::ident(&def.name)));
        for field in &body.fields {
            self.field(def, field, is_root);
        }
        if let UnknownFields::Kept(value) = &body.unknown_fields {
            let map = self.ty(&TypeRef::Map(Box::new(value.clone())));
            self.line("    /// Properties that the schema does not specify.");
            self.line("    #[serde(flatten)]");
            self.line(&format!("    pub unknown_fields: {map},"));
        }
        self.line("}");
    }

    fn field(&mut self, def: &TypeDef, field: &Field, is_root: bool) {
        let is_metadata = is_root && field.json_name == "metadata";
        let documentation = match (is_metadata, field.docs.is_empty()) {
            (true, true) => vec!["Standard object metadata.".to_owned()],
            _ => docs::of_field(&field.docs),
        };
        self.docs("    ", &documentation);
        let at = format!("{}.{}", def.path, field.json_name);
        let ty = self.element(def, field, &at);
        if !is_metadata {
            self.rules("    ", &field.validation, &field.ty);
        }
        let presence = Presence::of(field);
        if field.nullable {
            self.line("    // +nullable");
        }
        if presence == Presence::RequiredNullable {
            self.line("    // +required");
        }
        if let Some(default) = &field.default {
            self.line(&format!("    // +default={default}"));
        }
        let (ty, attributes) = self.presence(field, &ty);
        let mut arguments = Vec::new();
        if serde_camel_case(&field.rust_name) != field.json_name {
            arguments.push(format!("rename = {:?}", field.json_name));
        }
        if !is_root {
            arguments.extend(attributes);
        }
        self.attribute(&arguments);
        let name = idents::ident(&field.rust_name);
        self.line(&declaration(&name, &ty));
    }

    /// The type of a field that may be missing or null, and its serde attributes.
    fn presence(&self, field: &Field, ty: &str) -> (String, Vec<String>) {
        let option = self.paths.prelude("Option");
        let optional = || format!("{option}<{ty}>");
        match Presence::of(field) {
            Presence::Required | Presence::Omittable => (ty.to_owned(), Vec::new()),
            Presence::RequiredNullable => (optional(), Vec::new()),
            // `condition::set` takes a list, and no conditions mean none.
            Presence::Optional if is_conditions(&field.ty) => (
                ty.to_owned(),
                vec![
                    "default".to_owned(),
                    format!(
                        "skip_serializing_if = \"{}::is_empty\"",
                        self.paths.prelude("Vec")
                    ),
                ],
            ),
            Presence::Optional | Presence::OptionalNullable => (
                optional(),
                vec![format!("skip_serializing_if = \"{option}::is_none\"")],
            ),
        }
    }

    fn attribute(&mut self, arguments: &[String]) {
        if arguments.is_empty() {
            return;
        }
        let joined = arguments.join(", ");
        if joined.chars().count() <= ATTRIBUTE {
            self.line(&format!("    #[serde({joined})]"));
            return;
        }
        self.line("    #[serde(");
        for (index, argument) in arguments.iter().enumerate() {
            let comma = if index + 1 < arguments.len() { "," } else { "" };
            self.line(&format!("        {argument}{comma}"));
        }
        self.line("    )]");
    }

    /// The type of a field's value. Elements with rules that have no marker at the field get a type
    /// with a name.
    fn element(&mut self, def: &TypeDef, field: &Field, at: &str) -> String {
        let name = format!("{}{}", def.name, idents::upper_camel(&field.json_name));
        let rules = field.validation.element.as_deref();
        self.nested(&field.ty, rules, &name, at, true)
    }

    fn nested(
        &mut self,
        ty: &TypeRef,
        rules: Option<&Validation>,
        name: &str,
        at: &str,
        is_field: bool,
    ) -> String {
        let Some(rules) = rules.filter(|rules| **rules != Validation::default()) else {
            return self.ty(ty);
        };
        match ty {
            TypeRef::List(inner) => {
                let inner = self.inner(inner, rules, name, at, is_field);
                format!("{}<{inner}>", self.paths.prelude("Vec"))
            }
            TypeRef::Map(inner) => {
                let inner = self.inner(inner, rules, name, at, false);
                let (map, string) = (self.paths.map(), self.paths.prelude("String"));
                format!("{map}<{string}, {inner}>")
            }
            TypeRef::Optional(inner) => {
                let inner = self.nested(inner, Some(rules), name, at, is_field);
                format!("{}<{inner}>", self.paths.prelude("Option"))
            }
            _ => self.ty(ty),
        }
    }

    /// The type of elements with rules: itself if markers at the field say them, or else an alias.
    fn inner(
        &mut self,
        ty: &TypeRef,
        rules: &Validation,
        name: &str,
        at: &str,
        has_items: bool,
    ) -> String {
        let is_deep = matches!(ty, TypeRef::List(_) | TypeRef::Map(_));
        let said = rules::markers(rules, ty);
        let for_items = has_items && !is_deep && said.iter().all(|one| one.for_items);
        if for_items || said.is_empty() && rules.element.is_none() {
            return self.ty(ty);
        }
        let name = self.paths.free(&format!("{name}Item"));
        let (outer, base) = match ty {
            TypeRef::Optional(inner) => (true, &**inner),
            ty => (false, ty),
        };
        let target = self.nested(base, rules.element.as_deref(), &name, at, false);
        let mut alias = format!("/// An element of `{at}`.\n");
        for marker in said {
            alias.push_str(&format!("// +{}\n", marker.text(false)));
        }
        alias.push_str(&format!("pub type {name} = {target};\n"));
        self.aliases.push(alias);
        match outer {
            true => format!("{}<{name}>", self.paths.prelude("Option")),
            false => name,
        }
    }

    /// The markers of a type's or field's rules, and of its items.
    fn rules(&mut self, indent: &str, rules: &Validation, ty: &TypeRef) {
        let said = rules::markers(rules, ty);
        for marker in said {
            self.line(&format!("{indent}// +{}", marker.text(false)));
        }
        let (TypeRef::List(inner), Some(element)) = (ty, rules.element.as_deref()) else {
            return;
        };
        let said = rules::markers(element, inner);
        let is_deep = matches!(**inner, TypeRef::List(_) | TypeRef::Map(_));
        if is_deep || !said.iter().all(|one| one.for_items) {
            return;
        }
        for marker in said {
            self.line(&format!("{indent}// +{}", marker.text(true)));
        }
    }

    fn enumeration(&mut self, def: &TypeDef, body: &EnumDef) {
        let name = idents::ident(&def.name);
        if body.values == EnumValues::Integers {
            let values: Vec<&str> = body.variants.iter().map(|it| it.value.as_str()).collect();
            self.line(&format!(
                "// +kubebuilder:validation:Enum={}",
                values.join(";")
            ));
            let integer = match def.validation.format.as_deref() {
                Some("int32") => "i32",
                Some(_) => "i64",
                None => "isize",
            };
            self.line(&format!("pub type {name} = {integer};"));
            return;
        }
        let (serialize, deserialize) = self.paths.serde();
        self.line(&format!(
            "#[derive(Debug, Default, PartialEq, Eq, {serialize}, {deserialize})]"
        ));
        self.line(&format!("pub enum {name} {{"));
        let default = body.default.unwrap_or(0);
        for (index, variant) in body.variants.iter().enumerate() {
            let fallback = match variant.docs.as_str() {
                "" => format!("`{}`.", variant.value),
                docs => docs.to_owned(),
            };
            let documentation = docs::of_field(&fallback);
            self.docs("    ", &documentation);
            if index == default {
                self.line("    #[default]");
            }
            if variant.name != variant.value {
                self.line(&format!("    #[serde(rename = {:?})]", variant.value));
            }
            self.line(&format!("    {},", idents::ident(&variant.name)));
        }
        self.line("}");
    }

    fn ty(&mut self, ty: &TypeRef) -> String {
        let wrapped = |outer: String, inner: String| format!("{outer}<{inner}>");
        match ty {
            TypeRef::List(inner) => wrapped(self.paths.prelude("Vec"), self.ty(inner)),
            TypeRef::Optional(inner) => wrapped(self.paths.prelude("Option"), self.ty(inner)),
            TypeRef::Boxed(inner) => wrapped(self.paths.prelude("Box"), self.ty(inner)),
            TypeRef::Map(inner) => {
                let (map, string) = (self.paths.map(), self.paths.prelude("String"));
                format!("{map}<{string}, {}>", self.ty(inner))
            }
            leaf => self.paths.leaf(leaf),
        }
    }
}

/// A field with its type, as rustfmt breaks it.
fn declaration(name: &str, ty: &str) -> String {
    let fits = |line: &str| line.chars().count() <= LINE;
    let line = format!("    pub {name}: {ty},");
    let below = format!("        {ty},");
    if fits(&line) {
        return line;
    }
    let inner = ty.strip_suffix('>').and_then(|ty| ty.split_once('<'));
    match inner.filter(|_| !fits(&below)) {
        Some((outer, inner)) => {
            let arguments = inner.replacen("String, ", "String,\n        ", 1);
            format!("    pub {name}: {outer}<\n        {arguments},\n    >,")
        }
        None => format!("    pub {name}:\n{below}"),
    }
}

/// Whether it is the list of conditions that the API conventions describe.
fn is_conditions(ty: &TypeRef) -> bool {
    matches!(ty, TypeRef::List(inner) if **inner == TypeRef::Known(KnownType::Condition))
}
