//! Unions: finds fields of a struct that exclude each other, from all its constraints.
//!
//! Schemas express this in many ways: `oneOf` with single required properties, `maxProperties: 1`,
//! CEL rules. Instead of matching such patterns, the search assumes each pair of fields to be set;
//! if that violates a constraint whatever else the object contains, the two exclude each other.
//! This works for CRDs, annotated Rust and Go alike, since markers have been converted to rules.
//!
//! Start reading at [`find`]; `facts` represents assumptions, `schema` and `rule` evaluate
//! constraints, `find` combines pairs.

mod facts;
mod find;
mod rule;
mod schema;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::Value;

use self::find::{Demands, EnumField};
use crate::model::{
    ApiSet, Field, FieldUnion, StructDef, TypeDef, TypeKind, TypeRef, UnionBound, UnionView,
    names::{self, schema::TypeNames},
};

/// For fewer types than this, starting another thread takes longer than searching them: most have
/// no rules.
const FEW: usize = 32;

/// Finds the unions of every struct, and names the items generated for them.
pub(super) fn find(api: &mut ApiSet) {
    let versions = api
        .groups
        .par_iter_mut()
        .flat_map(|group| &mut group.versions);
    versions.for_each(|version| {
        let lists = version.resources.iter();
        let lists = lists.map(|resource| names::upper_camel(&resource.list_kind));
        let lists: BTreeSet<String> = lists.collect();
        let views = version.origin.emits_types().then_some(&lists);
        find_in(&mut version.types, views);
    });
    for package in &mut api.packages {
        find_in(&mut package.types, Some(&BTreeSet::new()));
    }
}

/// Finds the unions of types in the same module. Names views only if the module's other `reserved`
/// names are specified.
fn find_in(types: &mut [TypeDef], reserved: Option<&BTreeSet<String>>) {
    let enums = enums(types);
    let unions = types.par_iter().with_min_len(FEW);
    let unions: Vec<Found> = unions.map(|def| unions_of(def, &enums)).collect();
    drop(enums);
    let mut taken = reserved.map(|reserved| {
        let own: Vec<String> = types.iter().map(|def| def.name.clone()).collect();
        TypeNames::new(reserved.iter().chain(&own))
    });
    for (def, (mut unions, said)) in types.iter_mut().zip(unions) {
        let TypeKind::Struct(body) = &mut def.kind else {
            continue;
        };
        for position in said {
            if let Some(rule) = def.validation.rules.get_mut(position) {
                rule.said_by_union = true;
            }
        }
        if let Some(taken) = &mut taken {
            name_views(&def.name, body, &mut unions, taken);
        }
        body.unions = unions;
    }
}

/// The values of each enum that lists all of them, by enum name.
type Enums<'a> = BTreeMap<&'a str, Vec<&'a str>>;

fn enums(types: &[TypeDef]) -> Enums<'_> {
    let listed = types.iter().filter_map(|def| {
        let TypeKind::Enum(body) = &def.kind else {
            return None;
        };
        let values = if body.open.is_none() {
            body.variants
                .iter()
                .map(|variant| variant.value.as_str())
                .collect()
        } else {
            texts(&def.validation.enum_)
        };
        Some((def.name.as_str(), values))
    });
    listed.collect()
}

/// Returns the values, if all of them are strings.
fn texts(values: &[Value]) -> Vec<&str> {
    let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
    texts.unwrap_or_default()
}

/// The unions of a struct, and the indices of the rules that they make redundant.
type Found = (Vec<FieldUnion>, Vec<usize>);

fn unions_of<'a>(def: &'a TypeDef, enums: &Enums<'a>) -> Found {
    let TypeKind::Struct(body) = &def.kind else {
        return Found::default();
    };
    if def.marshals.is_some() {
        return Found::default();
    }
    let fields = || {
        let fields = body.fields.iter();
        fields
            .filter_map(|field| enum_field(field, enums))
            .collect()
    };
    let Some(demands) = Demands::of(body, &def.validation, fields) else {
        return Found::default();
    };
    let unions = demands.unions();
    let said = demands.said_by(&unions);
    (unions, said)
}

/// Returns the field as an enum field, if it has a fixed set of string values.
fn enum_field<'a>(field: &'a Field, enums: &Enums<'a>) -> Option<EnumField<'a>> {
    let own = texts(&field.validation.enum_);
    let values = match &field.ty {
        _ if field.nullable => return None,
        TypeRef::Local(name) if own.is_empty() => enums.get(name.as_str())?.clone(),
        _ => own,
    };
    (!values.is_empty()).then(|| EnumField {
        name: &field.json_name,
        values,
        optional: !field.required && field.default.is_none(),
    })
}

/// Names the views of a struct's unions whose members are all `Option`s: the first after the
/// struct, others also by what distinguishes them.
fn name_views(name: &str, body: &StructDef, unions: &mut [FieldUnion], taken: &mut TypeNames) {
    let is_option = |field: &str| {
        let mut fields = body.fields.iter();
        fields.any(|one| one.json_name == field && one.option && !one.required)
    };
    let mut methods = BTreeSet::new();
    for union in unions {
        let is_single = union.bound != UnionBound::AtLeastOne;
        if !is_single || !union.members.iter().all(|member| is_option(&member.field)) {
            continue;
        }
        let apart = if methods.is_empty() {
            String::new()
        } else {
            apart(union)
        };
        let snake = names::snake_case(&apart);
        let method = match apart.as_str() {
            "" => "as_union".to_owned(),
            _ => format!("as_{snake}_union"),
        };
        if methods.insert(method.clone()) {
            let name = taken.claim_union(name, &names::upper_camel(&apart));
            union.view = Some(UnionView { name, method });
        }
    }
}

/// Returns the name that distinguishes a union from others of its struct: the discriminator, else
/// the last word common to all members, else the first member.
fn apart(union: &FieldUnion) -> String {
    if let Some(discriminator) = &union.discriminator {
        return discriminator.clone();
    }
    let words = |field: &str| -> Vec<String> {
        let snake = names::snake_case(field);
        snake.split('_').map(str::to_owned).collect()
    };
    let Some((first, others)) = union.members.split_first() else {
        return String::new();
    };
    let is_shared = |word: &String| {
        let mut others = others.iter();
        others.all(|member| words(&member.field).contains(word))
    };
    let shared = words(&first.field).into_iter().rev().find(is_shared);
    shared.unwrap_or_else(|| first.field.clone())
}
