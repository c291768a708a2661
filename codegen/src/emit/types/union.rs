//! Views of unions: an enum over the fields of a struct of which at most one is set.
//!
//! ```text
//! codec::union! { pub enum IssuerSpecUnion of IssuerSpec, as_union; Acme(IssuerAcme) = acme, Ca(IssuerCa) = ca }
//! ```
//!
//! The struct is unchanged and decodes whatever the server sends. The macro generates the enum, which borrows the fields,
//! `as_union` and, if the struct requires no other fields, `From`; its first word is then `convertible`.

use super::{
    FileContext,
    object::{call, listed},
    refs,
};
use crate::{
    emit::{context::ident, serde_attributes::Presence},
    model::{
        Field, FieldUnion, StructDef, TypeDef, TypeKind, TypeRef, UnionBound, UnionMember,
        UnionView,
    },
};

/// A union of a struct, with the names for its view.
struct Viewed<'a> {
    def: &'a TypeDef,
    body: &'a StructDef,
    union: &'a FieldUnion,
    view: &'a UnionView,
}

/// The macro call for each union of a struct.
pub(super) fn emit(scope: &FileContext<'_>, def: &TypeDef) -> String {
    views(def).map(|viewed| viewed.emit(scope)).collect()
}

/// Whether a type has union views, which use the codec.
pub(super) fn has_view(def: &TypeDef) -> bool {
    views(def).next().is_some()
}

fn views(def: &TypeDef) -> impl Iterator<Item = Viewed<'_>> {
    let body = match &def.kind {
        TypeKind::Struct(body) => Some(body),
        _ => None,
    };
    let unions = body.into_iter().flat_map(|body| {
        let unions = body.unions.iter();
        unions.map(move |union| (body, union))
    });
    unions.filter_map(move |(body, union)| {
        Some(Viewed {
            def,
            body,
            union,
            view: union.view.as_ref()?,
        })
    })
}

impl Viewed<'_> {
    fn field(&self, name: &str) -> Option<&Field> {
        let mut fields = self.body.fields.iter();
        fields.find(|field| field.json_name == name)
    }

    /// The members with their fields.
    fn members(&self) -> impl Iterator<Item = (&UnionMember, &Field)> {
        let members = self.union.members.iter();
        members.filter_map(|member| Some((member, self.field(&member.field)?)))
    }

    fn emit(&self, scope: &FileContext<'_>) -> String {
        let object = ident(&self.def.name);
        let tags: Option<Vec<Option<String>>> = self
            .members()
            .map(|(member, _)| self.tag(scope, member))
            .collect();
        let tags = tags.filter(|_| !self.requires_more());
        let word = if tags.is_some() { "convertible " } else { "" };
        let (view, method) = (ident(&self.view.name), ident(&self.view.method));
        let visibility = scope.cx.visibility();
        let head = format!("{word}{visibility} enum {view} of {object}, {method};");
        let mut tags = tags.unwrap_or_default().into_iter();
        let members = self.members().map(|(member, field)| {
            let (variant, ty) = (ident(&member.variant), value_type(scope, field));
            let tag = tags.next().flatten().unwrap_or_default();
            format!("{variant}({ty}) = {}{tag}", ident(&field.rust_name))
        });
        let entries = listed(members.collect());
        call(scope, "union", &[vec![head], entries].concat())
    }

    /// The discriminator value of a member in the macro's syntax: ` (kind = IssuerKind::Acme)`. `Some(None)` if the union has no
    /// discriminator; `None` if the generated types have no such value.
    fn tag(&self, scope: &FileContext<'_>, member: &UnionMember) -> Option<Option<String>> {
        let Some(name) = &self.union.discriminator else {
            return Some(None);
        };
        let field = self.field(name)?;
        let TypeRef::Local(ty) = &field.ty else {
            return None;
        };
        let TypeKind::Enum(body) = &scope.unit.type_def(ty)?.kind else {
            return None;
        };
        let value = member.value.as_ref()?;
        let mut variants = body.variants.iter();
        let variant = variants.find(|variant| variant.value == *value)?;
        let (field, ty) = (ident(&field.rust_name), scope.imports.own(ty));
        Some(Some(format!(" ({field} = {ty}::{})", ident(&variant.name))))
    }

    /// Whether an object with only one member and its discriminator would lack required fields.
    fn requires_more(&self) -> bool {
        let tag = self.union.discriminator.as_ref();
        let mut fields = self.body.fields.iter();
        let mut unions = self.body.unions.iter();
        fields
            .any(|field| field.required && field.default.is_none() && Some(&field.json_name) != tag)
            || unions
                .any(|other| other.bound != UnionBound::AtMostOne && other.view != self.union.view)
    }
}

/// The type that a variant refers to: the field's type, without the `Option` for its presence.
fn value_type(scope: &FileContext<'_>, field: &Field) -> String {
    let ty = match &field.ty {
        TypeRef::Boxed(inner) => refs::type_path(scope, inner),
        _ => refs::value_type(scope, field),
    };
    if Presence::of(field) == Presence::OptionalNullable {
        let option = scope.imports.prelude_path("::std::option", "Option");
        format!("{option}<{ty}>")
    } else {
        ty
    }
}
