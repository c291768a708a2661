//! Converts attributes of schemars and kube to markers, so that checks, documentation and manifests
//! handle a single form.
//!
//! Start reading at [`merged`].

mod code;
mod code_values;
mod defaults;
mod keywords;
mod merging;
mod openapi_values;
mod wire;

use std::borrow::Cow;

use rayon::prelude::*;
use serde_json::Value;

pub(super) use self::code::of_function;
use self::merging::{Merging, Target, declare_type, marker, rule_marker, unsupported};
pub(super) use self::wire::{is_skipped, is_undeclared};
use super::{Cx, has_derive, named};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{TypeRef, Validation, WireType},
    options::Options,
    read::{
        markers::{
            DECLARE_TYPE, MarkerSet, MarkerType as _,
            field::{self, KubebuilderDefault, ValidationRequired},
        },
        rust::{
            Body, Field, Fields, Item, Layout, Literal, Package, Said, SchemaAttrs, Style, Variant,
            Word,
        },
    },
};

/// Returns the package, with the attributes of its types added to their markers.
pub(super) fn merged<'p>(
    (package, group_module): (&'p Package, &str),
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Cow<'p, Package> {
    let cx = Cx::new(package, options, group_module);
    let is_plain =
        |item: &Item| !derives_schema(item) && !cx.has_impl(item, "JsonSchema") && !is_number(item);
    if package.items.iter().all(is_plain) {
        return Cow::Borrowed(package);
    }
    let items = package.items.par_iter().map(|item| {
        let mut found = Diagnostics::new();
        let item = match is_plain(item) {
            true => item.clone(),
            false => cx.with_attributes(item, &mut found),
        };
        (item, found)
    });
    let (items, found): (_, Vec<_>) = items.unzip();
    found
        .into_iter()
        .for_each(|found| diagnostics.extend(found));
    Cow::Owned(package.with_items(items))
}

/// Whether schemars derives the schema of a type, directly or through kube.
pub(super) fn derives_schema(item: &Item) -> bool {
    let derives = ["JsonSchema", "KubeSchema", "CELSchema"];
    derives.iter().any(|name| has_derive(item, name))
}

impl Cx<'_> {
    /// Applies attributes that have no equivalent marker: combinators, and schemas created by code,
    /// for which the markers then form the entire schema.
    pub(super) fn complete(
        &self,
        schema: &SchemaAttrs,
        markers: &MarkerSet,
        ty: Option<&TypeRef>,
        validation: &mut Validation,
    ) {
        if !schema.combinators.is_empty() {
            validation.combinators = schema.combinators.clone();
        }
        let made_by_hand = |name| {
            let mut items = self.item(name).into_iter();
            items.any(|item| self.has_impl(item, "JsonSchema") && !declare_type(&item.markers))
        };
        let is_code = schema.schema_with.is_some()
            || !schema.computed.is_empty()
            || ty.and_then(TypeRef::local).is_some_and(made_by_hand);
        if is_code && declare_type(markers) {
            validation.schemaless = true;
        }
    }

    fn with_attributes(&self, item: &Item, diagnostics: &mut Diagnostics) -> Item {
        let mut item = item.clone();
        if !derives_schema(&item) {
            match self.schema_by_hand(&item) {
                Some(code) => item.schema.code = Some(code),
                None if declare_type(&item.markers) => {}
                None => {
                    let finding = unknown_schema(&item);
                    item.schema.findings.push(finding);
                }
            }
            return item;
        }
        let mut target = Target {
            wire: self.wire_type(&TypeRef::Local(self.key(&item).to_owned())),
            items: WireType::Unknown,
        };
        // The schema of a newtype is that of its field.
        let only = item.only_field_mut();
        let only = only.map(|only| {
            let schema = std::mem::take(&mut only.schema).into_present();
            (schema, std::mem::take(&mut only.markers.0), only.ty.clone())
        });
        if let Some((schema, markers, ty)) = only {
            if let Some(inner) = schema {
                item.schema.demands.extend(inner.demands);
                item.schema.computed.extend(inner.computed);
                item.schema.findings.extend(inner.findings);
                item.schema.with = item.schema.with.take().or(inner.with);
                item.schema.schema_with = item.schema.schema_with.take().or(inner.schema_with);
            }
            item.markers.0.extend(markers);
            target.items = self.element_type(&self.reference(&item, &ty, &mut Diagnostics::new()));
        }
        if let Some(with) = &item.schema.with {
            let ty = self.reference(&item, with, &mut Diagnostics::new());
            (target.wire, target.items) = (self.wire_type(&ty), self.element_type(&ty));
        }
        let function = item.schema.schema_with.as_ref();
        let code = function.and_then(|(call, _)| self.schema_of_function(&item, call));
        if let Some(code) = code {
            (target.wire, target.items) = self.wire_types(&code);
            item.schema.code = Some(code);
        }
        let mut merging = Merging::new((self, item.module), &mut item.markers, target, diagnostics);
        merging.attributes(&mut item.schema, &mut item.docs);
        merging.finish();
        // Taken out, so that the fields can be changed while the rest of the item is read.
        let mut body = std::mem::replace(&mut item.body, Body::Enum(Vec::new()));
        match &mut body {
            Body::Struct(fields) => self.fields_with_attributes(&item, fields, diagnostics),
            Body::Enum(variants) => {
                for variant in variants {
                    self.variant_with_attributes(&item, variant);
                    self.fields_with_attributes(&item, &mut variant.fields, diagnostics);
                }
            }
            Body::Alias(_) => {}
        }
        item.body = body;
        item
    }

    /// Handles a variant: a schema contains its name, its documentation and, in place of its
    /// fields, another type or a function's schema.
    fn variant_with_attributes(&self, item: &Item, variant: &mut Variant) {
        let may_differ =
            self.package.layout == Layout::Crate && variant.fields.style != Style::Unit;
        let Some(schema) = variant.schema.present_mut() else {
            return;
        };
        if let Some((description, _)) = &schema.description
            && let Some(Value::String(text)) = self.value(item.module, description)
        {
            variant.docs = text;
        }
        let function = schema.schema_with.as_ref().filter(|_| may_differ);
        let code = function.and_then(|(call, _)| self.schema_of_function(item, call));
        schema.code = code;
        let demands = schema.demands.iter().map(|demand| &demand.said);
        let with = schema.with.as_ref().map(|with| Said {
            shown: "#[schemars(with)]".to_owned(),
            place: with.place.clone(),
        });
        let with = with.as_ref().filter(|_| !may_differ);
        let function = schema.schema_with.iter().map(|(_, said)| said);
        let function = function.filter(|_| schema.code.is_none());
        let unread = demands.chain(&schema.computed).chain(function).chain(with);
        let findings = unread.map(|said| {
            unsupported(said, "on a variant", "has no place in a structural schema")
                .help("put it on the field of the variant, or on the type of that field")
        });
        let findings: Vec<Diagnostic> = findings.collect();
        schema.findings.extend(findings);
    }

    fn fields_with_attributes(
        &self,
        item: &Item,
        fields: &mut Fields,
        diagnostics: &mut Diagnostics,
    ) {
        for field in &mut fields.fields {
            let Field {
                markers,
                schema,
                docs,
                serde,
                ty,
                ..
            } = &mut *field;
            let written = schema.with.as_ref().unwrap_or(ty);
            let ty = self.reference(item, written, &mut Diagnostics::new());
            let is_other = serde.with && schema.with.is_none();
            let mut target = Target {
                wire: if is_other {
                    WireType::Unknown
                } else {
                    self.wire_type(&ty)
                },
                items: self.element_type(&ty),
            };
            let function = schema.schema_with.as_ref();
            let code = function.and_then(|(call, _)| self.schema_of_function(item, call));
            if let Some(code) = code {
                (target.wire, target.items) = self.wire_types(&code);
                schema.code = Some(code);
            }
            let mut merging = Merging::new((self, item.module), markers, target, diagnostics);
            merging.attributes(schema, docs);
            let has_default = serde.default || item.serde.default || schema.default.is_some();
            if let Some(said) = schema.required.as_ref().filter(|_| !has_default) {
                let marker = marker(&ValidationRequired::DEF, Vec::new(), said);
                merging.add(marker);
            }
            merging.finish();
            let has_default = |markers: &MarkerSet| {
                markers.has::<KubebuilderDefault>() || markers.has::<field::Default>()
            };
            if !has_default(&field.markers) && !field.serde.flatten && !field.serde.skip {
                match defaults::of(self, item, field) {
                    defaults::Default::Absent => {}
                    defaults::Default::Known(value, said) => {
                        let arguments = vec![("", value)];
                        field
                            .markers
                            .0
                            .push(marker(&KubebuilderDefault::DEF, arguments, &said));
                    }
                    defaults::Default::Unknown(finding) => field.schema.findings.push(finding),
                }
            }
        }
    }

    /// Returns the value of a literal, or of a constant of the package, as seen from a module.
    pub(super) fn value(&self, module: usize, literal: &Literal) -> Option<Value> {
        let mut literal = literal;
        // A constant may refer to another.
        for _ in 0..8 {
            match literal {
                Literal::Known(value) => return Some(value.clone()),
                Literal::Named(path) => literal = self.named(module, path)?,
                Literal::Unknown
                | Literal::List(_)
                | Literal::Map(_)
                | Literal::Struct(..)
                | Literal::Wrapped(..) => return None,
            }
        }
        None
    }

    /// Returns the value of a constant or function.
    pub(super) fn named(&self, module: usize, path: &[String]) -> Option<&Literal> {
        let modules = &self.package.modules;
        let found = named::find(modules, &self.package.values, (module, path), Literal::eq);
        found.map(|(_, value)| value)
    }
}

/// Whether serde_repr serializes an enum as a number.
fn is_number(item: &Item) -> bool {
    has_derive(item, "Serialize_repr")
}

/// Reports a type whose schema is not created by a known derive.
fn unknown_schema(item: &Item) -> Diagnostic {
    let name = &item.name;
    if is_number(item) {
        return Diagnostic::error(format!("the schema of `{name}` is not known: serde_repr writes a number"))
            .at(item.place.clone(), "derives `Serialize_repr`")
            .help("declare the values: `+kubebuilder:validation:Type=integer` and `+kubebuilder:validation:Enum=…`");
    }
    Diagnostic::error(format!(
        "the schema of `{name}` is not known: code creates it"
    ))
    .at(item.place.clone(), "implements `JsonSchema` by hand")
    .help(DECLARE_TYPE)
}

/// Returns the rules for the root that kube-derive generates, as markers, and reports unknown ones.
pub(super) fn kube_rules(item: &Item) -> (MarkerSet, Vec<Diagnostic>) {
    let mut markers = MarkerSet::default();
    let mut findings = Vec::new();
    for demand in &item.kube_rules.demands {
        match &demand.word {
            Word::Rule(Some(rule)) => markers.0.push(rule_marker(rule, &demand.said)),
            _ => findings.push(
                Diagnostic::error(format!("`{}` is not known without compiling", demand.said.shown))
                    .at(demand.said.place.clone(), "code creates the rule")
                    .help("write it as a literal: `validation = \"rule\"`, or `validation = Rule::new(\"rule\").message(\"message\")`"),
            ),
        }
    }
    (markers, findings)
}
