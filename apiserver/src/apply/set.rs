//! Sets of field paths, and their serialised form (FieldsV1).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::element::{Element, FieldPath};
use super::types::Type;

/// A set of paths. A path is in the set if its last element is a member of the subset that the
/// other elements lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set {
    members: BTreeSet<Element>,
    children: BTreeMap<Element, Set>,
}

impl Set {
    /// Returns the set of some fields, each specified by its path of names.
    pub(super) fn of(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path: FieldPath = path
                .iter()
                .map(|name| Element::Field((*name).to_owned()))
                .collect();
            set.insert(&path);
        }
        set
    }

    /// Adds a path; ignores the empty path, which nobody owns.
    pub(super) fn insert(&mut self, path: &[Element]) {
        match path {
            [] => {}
            [last] => {
                self.members.insert(last.clone());
            }
            [first, rest @ ..] => match self.children.get_mut(first) {
                Some(set) => set.insert(rest),
                None => self.children.entry(first.clone()).or_default().insert(rest),
            },
        }
    }

    /// Adds a subset under an element that the set does not have yet, and the element itself if it
    /// is a member.
    pub(super) fn add(&mut self, element: Element, is_member: bool, below: Set) {
        if is_member {
            self.members.insert(element.clone());
        }
        if !below.is_empty() {
            self.children.insert(element, below);
        }
    }

    pub(super) fn has(&self, path: &[Element]) -> bool {
        match path {
            [] => false,
            [last] => self.members.contains(last),
            [first, rest @ ..] => self.children.get(first).is_some_and(|set| set.has(rest)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.values().all(Self::is_empty)
    }

    pub(super) fn has_member(&self, element: &Element) -> bool {
        self.members.contains(element)
    }

    /// Returns the paths under an element.
    pub(super) fn below(&self, element: &Element) -> Option<&Set> {
        self.children.get(element).filter(|set| !set.is_empty())
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &Element> {
        self.members.iter()
    }

    pub(super) fn children(&self) -> impl Iterator<Item = (&Element, &Set)> {
        self.children.iter()
    }

    #[must_use]
    pub(super) fn union(mut self, other: &Set) -> Set {
        self.members.extend(other.members.iter().cloned());
        for (element, set) in &other.children {
            let own = self.children.remove(element).unwrap_or_default();
            self.children.insert(element.clone(), own.union(set));
        }
        self
    }

    #[must_use]
    pub(super) fn intersection(&self, other: &Set) -> Set {
        Set {
            members: self.members.intersection(&other.members).cloned().collect(),
            children: self
                .children
                .iter()
                .filter_map(|(element, set)| {
                    let common = set.intersection(other.children.get(element)?);
                    (!common.is_empty()).then(|| (element.clone(), common))
                })
                .collect(),
        }
    }

    /// Returns the paths that are not in `other`; the children of a removed path are kept.
    #[must_use]
    pub(super) fn difference(&self, other: &Set) -> Set {
        self.without(other, false)
    }

    /// Returns the paths that are neither in `other` nor under a path in it.
    #[must_use]
    pub(super) fn recursive_difference(&self, other: &Set) -> Set {
        self.without(other, true)
    }

    fn without(&self, other: &Set, recursive: bool) -> Set {
        let left = |(element, set): (&Element, &Set)| {
            if recursive && other.members.contains(element) {
                return None;
            }
            let rest = match other.children.get(element) {
                Some(theirs) => set.without(theirs, recursive),
                None => set.clone(),
            };
            (!rest.is_empty()).then(|| (element.clone(), rest))
        };
        Set {
            members: self.members.difference(&other.members).cloned().collect(),
            children: self.children.iter().filter_map(left).collect(),
        }
    }

    /// Adds every declared field that has members under it.
    #[must_use]
    pub(super) fn with_named_fields(&self, ty: &Type<'_>) -> Set {
        let atom = ty.atom();
        let mut members = self.members.clone();
        let mut children = BTreeMap::new();
        for (element, set) in &self.children {
            let below = match element {
                Element::Field(name) => match &atom.map {
                    Some(map) => {
                        if map.declares(name) {
                            members.insert(element.clone());
                        }
                        map.field(name)
                    }
                    None => Type::Undeclared,
                },
                Element::Key(_) => atom
                    .list
                    .as_ref()
                    .map_or(Type::Undeclared, |list| list.element.clone()),
                _ => Type::Undeclared,
            };
            children.insert(element.clone(), set.with_named_fields(&below));
        }
        Set { members, children }
    }

    /// Returns all paths; a path comes before those under it.
    pub(super) fn paths(&self) -> Vec<FieldPath> {
        let mut out = Vec::new();
        self.collect(&mut Vec::new(), &mut out);
        out
    }

    fn collect(&self, prefix: &mut FieldPath, out: &mut Vec<FieldPath>) {
        for element in &self.members {
            let mut path = prefix.clone();
            path.push(element.clone());
            out.push(path);
        }
        for (element, set) in &self.children {
            prefix.push(element.clone());
            set.collect(prefix, out);
            prefix.pop();
        }
    }

    /// Encodes the set as FieldsV1.
    pub(super) fn encode(&self) -> Value {
        let mut map = Map::new();
        for element in &self.members {
            map.insert(element.encode(), Value::Object(Map::new()));
        }
        for (element, set) in self.children.iter().filter(|(_, set)| !set.is_empty()) {
            let mut below = set.encode();
            if let (true, Value::Object(below)) = (self.members.contains(element), &mut below) {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            map.insert(element.encode(), below);
        }
        Value::Object(map)
    }

    /// Decodes FieldsV1. Elements of unknown kinds are skipped.
    pub(super) fn decode(fields: &Value) -> Result<Set, String> {
        let mut set = Set::default();
        let Value::Object(map) = fields else {
            return if fields.is_null() {
                Ok(set)
            } else {
                Err("expected an object".to_owned())
            };
        };
        for (key, below) in map {
            if key == "." {
                continue;
            }
            let Some(element) = Element::decode(key)? else {
                continue;
            };
            let children = Set::decode(below)?;
            let is_leaf = children.members.is_empty() && children.children.is_empty();
            if is_leaf || below.get(".").is_some() {
                set.members.insert(element.clone());
            }
            if !is_leaf {
                set.children.insert(element, children);
            }
        }
        Ok(set)
    }
}
