//! How the value of a field gets to its counterpart.

use super::{How, Owned, Planner, Side};
use crate::model::{EnumDef, FieldConversion, TypeKind, TypeRef, UnionDef, Version, fields};

impl<'a> Planner<'a> {
    /// How the values of a pair of fields differ.
    pub(super) fn how(&mut self, pair: [Owned<'a>; 2]) -> How<'a> {
        let types = pair.map(|it| &it.field.ty);
        let by_hand = |it: &Owned<'_>| it.field.conversion.as_ref().is_some_and(|it| it.by_hand);
        if pair.iter().any(by_hand) {
            return How::Called(types);
        }
        if let Some(scaled) = self.scaled(pair) {
            return scaled;
        }
        let values = self.values(pair);
        match self.typed(types, &values) {
            Some(How::Within { table, entries, .. }) => How::Within {
                table,
                entries,
                keys: self.keys(pair, table),
            },
            Some(how) => how,
            None => How::Called(types),
        }
    }

    /// A number in other units, as a marker says.
    fn scaled(&mut self, pair: [Owned<'a>; 2]) -> Option<How<'a>> {
        let mut sides = Side::BOTH.into_iter().zip(pair);
        let (side, it, factor) = sides.find_map(|(side, it)| {
            let factor = it.field.conversion.as_ref()?.factor?;
            Some((side, it, factor))
        })?;
        let [spoke, hub] = pair;
        let is_number = |it: Owned<'_>| {
            matches!(
                it.field.ty,
                TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_)
            )
        };
        if spoke.field.json_name == hub.field.json_name || !(is_number(spoke) && is_number(hub)) {
            return None;
        }
        self.used.insert((side, it.owner, &it.field.json_name));
        Some(How::Scaled(side, factor))
    }

    /// The spellings that markers of a pair of fields declare: the spoke's and the hub's.
    fn values(&mut self, pair: [Owned<'a>; 2]) -> Vec<(&'a str, &'a str)> {
        let mut found = Vec::new();
        for (side, it) in Side::BOTH.into_iter().zip(pair) {
            let marked: Option<&'a FieldConversion> = it.field.conversion.as_deref();
            for (own, old) in marked.into_iter().flat_map(|it| &it.values) {
                self.used.insert((side, it.owner, &it.field.json_name));
                found.push(match side {
                    Side::Spoke => (own.as_str(), old.as_str()),
                    Side::Hub => (old.as_str(), own.as_str()),
                });
            }
        }
        found
    }

    /// How values of two types differ; `None` if only the user knows.
    fn typed(
        &mut self,
        [spoke, hub]: [&'a TypeRef; 2],
        values: &[(&'a str, &'a str)],
    ) -> Option<How<'a>> {
        if self.is_by_hand(Side::Spoke, spoke) || self.is_by_hand(Side::Hub, hub) {
            return None;
        }
        let spoke = plain(self.version(Side::Spoke), spoke);
        let hub = plain(self.version(Side::Hub), hub);
        match (spoke, hub) {
            (TypeRef::List(spoke), TypeRef::List(hub)) => {
                match self.typed([spoke, hub], values)? {
                    How::Within { entries: true, .. } => None,
                    how => Some(how),
                }
            }
            (TypeRef::Map(spoke), TypeRef::Map(hub)) => match self.typed([spoke, hub], values)? {
                How::Within {
                    table,
                    entries: false,
                    keys,
                } => Some(How::Within {
                    table,
                    entries: true,
                    keys,
                }),
                How::Same => Some(How::Same),
                _ => None,
            },
            (TypeRef::Local(spoke), TypeRef::Local(hub)) => self.local([spoke, hub], values),
            (TypeRef::External(spoke), TypeRef::External(hub)) => {
                (spoke.to_string() == hub.to_string()).then_some(How::Same)
            }
            (spoke, hub) => (spoke == hub).then_some(How::Same),
        }
    }

    /// Whether the author of a type, or of the alias of one, converts its values.
    fn is_by_hand(&self, side: Side, ty: &TypeRef) -> bool {
        match ty {
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.is_by_hand(side, inner),
            TypeRef::Local(name) => self.version(side).type_def(name).is_some_and(|def| {
                let target = match &def.kind {
                    TypeKind::Alias(alias) => Some(&alias.target),
                    _ => None,
                };
                def.converted_by_hand || target.is_some_and(|it| self.is_by_hand(side, it))
            }),
            _ => false,
        }
    }

    fn local(&mut self, types: [&'a str; 2], values: &[(&'a str, &'a str)]) -> Option<How<'a>> {
        let [spoke, hub] = types;
        let kind = |side, name| Some(&self.version(side).type_def(name)?.kind);
        match (kind(Side::Spoke, spoke)?, kind(Side::Hub, hub)?) {
            (TypeKind::Struct(_), TypeKind::Struct(_)) => {
                // Flattened types that are not the version's may hide fields.
                let are_known = fields(self.version(Side::Spoke), spoke).is_some()
                    && fields(self.version(Side::Hub), hub).is_some();
                are_known.then(|| How::Within {
                    table: self.table(types),
                    entries: false,
                    keys: Vec::new(),
                })
            }
            (TypeKind::Enum(spoke), TypeKind::Enum(hub)) => spellings(spoke, hub, values),
            (TypeKind::Union(spoke), TypeKind::Union(hub)) => {
                self.is_same_union(spoke, hub).then_some(How::Same)
            }
            _ => None,
        }
    }

    /// Whether two unions have the same form, without any difference below them.
    fn is_same_union(&mut self, spoke: &'a UnionDef, hub: &'a UnionDef) -> bool {
        let form = |it: &UnionDef| (it.tag.clone(), it.content.clone(), it.untagged);
        if form(spoke) != form(hub) || spoke.variants.len() != hub.variants.len() {
            return false;
        }
        let variants = spoke.variants.iter().zip(&hub.variants);
        variants.into_iter().all(|(spoke, hub)| {
            spoke.json_name == hub.json_name
                && spoke.fields.len() == hub.fields.len()
                && spoke.fields.iter().zip(&hub.fields).all(|(spoke, hub)| {
                    spoke.json_name == hub.json_name
                        && spoke.ty.local().is_none()
                        && spoke.ty == hub.ty
                })
        })
    }

    /// What identifies the items of a list on both sides, under the same names.
    fn keys(&self, pair: [Owned<'a>; 2], table: usize) -> Vec<&'a str> {
        let [spoke, hub] = pair.map(|it| &it.field.validation.list_map_keys);
        let rules = self.tables.get(table).map(|table| &table.rules);
        let differs = |key: &String| {
            let mut rules = rules.into_iter().flatten();
            rules.any(|rule| rule.paths.contains(key))
        };
        if spoke != hub || hub.iter().any(differs) {
            return Vec::new();
        }
        hub.iter().map(String::as_str).collect()
    }
}

/// How the values of two enums differ; `None` if one has a value without a counterpart.
fn spellings<'a>(
    spoke: &'a EnumDef,
    hub: &'a EnumDef,
    marked: &[(&'a str, &'a str)],
) -> Option<How<'a>> {
    let names = |it: &'a EnumDef| it.variants.iter().map(|it| it.value.as_str());
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for name in names(spoke) {
        match names(hub).any(|other| other == name) {
            true => pairs.push((name, name)),
            false => pairs.push((name, marked.iter().find(|(it, _)| *it == name)?.1)),
        }
    }
    for name in names(hub).filter(|name| !names(spoke).any(|other| other == *name)) {
        let old = marked.iter().find(|(_, it)| *it == name)?.0;
        if !pairs.contains(&(old, name)) {
            pairs.push((old, name));
        }
    }
    let is_same = spoke.values == hub.values && pairs.iter().all(|(spoke, hub)| spoke == hub);
    Some(match is_same {
        true => How::Same,
        false => How::Values(pairs),
    })
}

/// A type without what does not show in JSON: boxes, options and aliases.
fn plain<'a>(version: &'a Version, ty: &'a TypeRef) -> &'a TypeRef {
    match ty {
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => plain(version, inner),
        TypeRef::Local(name) => match version.type_def(name).map(|def| &def.kind) {
            Some(TypeKind::Alias(alias)) => plain(version, &alias.target),
            _ => ty,
        },
        _ => ty,
    }
}

/// The name of the struct of a field that is an object itself.
pub(super) fn object<'a>(version: &'a Version, ty: &'a TypeRef) -> Option<&'a str> {
    let TypeRef::Local(name) = plain(version, ty) else {
        return None;
    };
    let def = version.type_def(name)?;
    matches!(def.kind, TypeKind::Struct(_)).then_some(name)
}
