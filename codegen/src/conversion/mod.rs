//! The plan of a conversion: what differs between a version and the hub, the version that is
//! stored, and how each difference is bridged.
//!
//! Pure, and apart from what is emitted: `pair` decides about one pair of fields, `check` reports
//! what no plan can be made of. A plan is a table for each pair of types that differ, as the
//! runtime's `conversion::Rule`s are.

mod check;
mod pair;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub(crate) use self::check::check;
use crate::model::{Field, FieldConversion, Group, TypeRef, Version, Versioned, fields};

/// One of the two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// The version that is converted to and from the hub.
    Spoke,
    /// The version that is stored.
    Hub,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Spoke, Self::Hub];

    /// The opposite side.
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Spoke => Self::Hub,
            Self::Hub => Self::Spoke,
        }
    }
}

/// How a version is converted to and from the hub.
pub(crate) struct Plan<'a> {
    /// The version.
    pub(crate) spoke: Versioned<'a>,
    /// The hub.
    pub(crate) hub: Versioned<'a>,
    /// The pairs of types that differ, the roots first; the roots' table may be empty.
    pub(crate) tables: Vec<Table<'a>>,
    /// The marked fields whose markers were of use, by type and JSON name.
    used: BTreeSet<(Side, &'a str, &'a str)>,
}

/// What differs between two types.
#[derive(Debug, PartialEq)]
pub(crate) struct Table<'a> {
    /// The names of the types.
    pub(crate) types: [&'a str; 2],
    /// The differences. Values are put in reverse order, see `conversion::Rule`.
    pub(crate) rules: Vec<Rule<'a>>,
}

/// A difference.
#[derive(Debug, PartialEq)]
pub(crate) struct Rule<'a> {
    /// The paths from the object in the spoke and the hub.
    pub(crate) paths: [String; 2],
    /// How it is bridged.
    pub(crate) how: How<'a>,
}

/// How a difference is bridged.
#[derive(Debug, PartialEq)]
pub(crate) enum How<'a> {
    /// The value is the same.
    Same,
    /// The object, or those in a list, differ as the table of this index says.
    Within {
        /// The index of the table.
        table: usize,
        /// Whether the objects are in a map.
        entries: bool,
        /// The fields that identify an item of the list.
        keys: Vec<&'a str>,
    },
    /// Values have other spellings: the spoke's and the hub's.
    Values(Vec<(&'a str, &'a str)>),
    /// The number is larger by this factor on one side.
    Scaled(Side, u64),
    /// The user decides about values of these types.
    Called([&'a TypeRef; 2]),
    /// An annotation keeps what the other side cannot hold.
    Kept(Side),
    /// The author allows its loss.
    Dropped(Side),
    /// This side must have it, and the user makes it of the other side's object.
    Made(Side, &'a Field),
    /// This side must have it, and its schema has a default.
    Defaulted(Side, &'a Value),
}

/// The plans of a group: for each kind with several versions, of all but the one that is stored.
/// A kind whose type is marked so, in either version, is converted by its author.
pub(crate) fn plans(group: &Group) -> Vec<Plan<'_>> {
    let mut plans = Vec::new();
    for spoke in versions(group).filter(|it| !it.resource.storage) {
        let is_hub =
            |it: &Versioned<'_>| it.resource.storage && it.resource.kind == spoke.resource.kind;
        let by_hand = |it: Versioned<'_>| {
            let root = it.version.type_def(&it.resource.root);
            root.is_some_and(|def| def.converted_by_hand)
        };
        if let Some(hub) = versions(group).find(is_hub)
            && !by_hand(spoke)
            && !by_hand(hub)
        {
            plans.push(Plan::new(spoke, hub));
        }
    }
    plans
}

/// The kinds of a group in all their versions.
fn versions(group: &Group) -> impl Iterator<Item = Versioned<'_>> {
    group.versions.iter().flat_map(|version| {
        let resources = version.resources.iter();
        resources.map(move |resource| Versioned { version, resource })
    })
}

impl<'a> Plan<'a> {
    fn new(spoke: Versioned<'a>, hub: Versioned<'a>) -> Self {
        let mut planner = Planner {
            versions: [spoke.version, hub.version],
            known: BTreeMap::new(),
            tables: Vec::new(),
            claimed: BTreeSet::new(),
            used: BTreeSet::new(),
        };
        let roots = [spoke, hub].map(|it| it.resource.root.as_str());
        let mut rules = planner.moved(roots);
        let root = planner.table(roots);
        if let Some(table) = planner.tables.get_mut(root) {
            rules.append(&mut table.rules);
            table.rules = rules;
        }
        planner.drop_trivial();
        Self {
            spoke,
            hub,
            tables: planner.tables,
            used: planner.used,
        }
    }

    /// The version of a side.
    pub(crate) fn side(&self, side: Side) -> Versioned<'a> {
        match side {
            Side::Spoke => self.spoke,
            Side::Hub => self.hub,
        }
    }

    /// Whether a table is used: it is the roots', or differs.
    pub(crate) fn is_used(&self, table: usize) -> bool {
        let rules = self.tables.get(table).map(|table| table.rules.as_slice());
        table == 0 || rules.is_some_and(|rules| !rules.is_empty())
    }
}

struct Planner<'a> {
    versions: [&'a Version; 2],
    /// The tables by pair of types.
    known: BTreeMap<[&'a str; 2], usize>,
    tables: Vec<Table<'a>>,
    /// The fields that are moved, by type and JSON name.
    claimed: BTreeSet<(Side, &'a str, &'a str)>,
    used: BTreeSet<(Side, &'a str, &'a str)>,
}

/// A field with the type that has it.
#[derive(Clone, Copy)]
struct Owned<'a> {
    owner: &'a str,
    field: &'a Field,
}

impl<'a> Planner<'a> {
    fn version(&self, side: Side) -> &'a Version {
        let [spoke, hub] = self.versions;
        match side {
            Side::Spoke => spoke,
            Side::Hub => hub,
        }
    }

    /// The fields of a struct that the conversion is about.
    fn fields(&self, side: Side, owner: &'a str) -> Vec<Owned<'a>> {
        let version = self.version(side);
        let is_root = version.resources.iter().any(|it| it.root == owner);
        let is_own = |field: &&Field| {
            let names = ["apiVersion", "kind", "metadata"];
            let is_of_every_object = is_root && names.contains(&field.json_name.as_str());
            !field.flatten && !is_of_every_object
        };
        let found = fields(version, owner).unwrap_or_default().into_iter();
        let found = found.filter(is_own);
        found.map(|field| Owned { owner, field }).collect()
    }

    /// The rules of fields that are at other paths, as their markers say.
    fn moved(&mut self, roots: [&'a str; 2]) -> Vec<Rule<'a>> {
        let mut rules = Vec::new();
        for (side, root) in Side::BOTH.into_iter().zip(roots) {
            let other = roots
                .into_iter()
                .nth(side.other() as usize)
                .unwrap_or_default();
            for (path, here) in self.marked(side, root) {
                let olds = here.field.conversion.as_ref().map(|it| &it.moved_from);
                let mut olds = olds.into_iter().flatten();
                let found = olds.find_map(|old| Some((old, self.at(side.other(), other, old)?)));
                let is_new = self.at(side.other(), other, &path).is_none();
                let (Some((old, there)), true) = (found, is_new) else {
                    continue;
                };
                self.claim(side, here);
                self.claim(side.other(), there);
                self.used.insert((side, here.owner, &here.field.json_name));
                let (paths, pair) = match side {
                    Side::Spoke => ([path, old.clone()], [here, there]),
                    Side::Hub => ([old.clone(), path], [there, here]),
                };
                let how = self.how(pair);
                rules.push(Rule { paths, how });
            }
        }
        rules
    }

    fn claim(&mut self, side: Side, it: Owned<'a>) {
        self.claimed.insert((side, it.owner, &it.field.json_name));
    }

    /// The fields with markers of moves below a type, outside of lists and maps, with their paths.
    fn marked(&self, side: Side, root: &'a str) -> Vec<(String, Owned<'a>)> {
        let mut found = Vec::new();
        let mut open = vec![(String::new(), root)];
        let mut seen = BTreeSet::new();
        while let Some((path, owner)) = open.pop().filter(|(_, owner)| seen.insert(*owner)) {
            for here in self.fields(side, owner) {
                let path = joined(&path, &here.field.json_name);
                if let Some(inner) = pair::object(self.version(side), &here.field.ty) {
                    open.push((path.clone(), inner));
                }
                let marked = here.field.conversion.as_ref();
                if marked.is_some_and(|it| !it.moved_from.is_empty()) {
                    found.push((path, here));
                }
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    /// The field at a path below a type.
    fn at(&self, side: Side, root: &'a str, path: &str) -> Option<Owned<'a>> {
        let (first, rest) = match path.split_once('.') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        let mut fields = self.fields(side, root).into_iter();
        let found = fields.find(|it| it.field.json_name == first)?;
        match rest {
            None => Some(found),
            Some(rest) => {
                let inner = pair::object(self.version(side), &found.field.ty)?;
                self.at(side, inner, rest)
            }
        }
    }

    /// The index of the table of two types.
    fn table(&mut self, types: [&'a str; 2]) -> usize {
        if let Some(known) = self.known.get(&types) {
            return *known;
        }
        let index = self.tables.len();
        self.known.insert(types, index);
        self.tables.push(Table {
            types,
            rules: Vec::new(),
        });
        let rules = self.rules(types);
        if let Some(table) = self.tables.get_mut(index) {
            table.rules = rules;
        }
        index
    }

    fn rules(&mut self, [spoke, hub]: [&'a str; 2]) -> Vec<Rule<'a>> {
        let unclaimed = |planner: &Self, side, owner| {
            let mut fields = planner.fields(side, owner);
            fields.retain(|it| {
                let key = (side, it.owner, it.field.json_name.as_str());
                !planner.claimed.contains(&key)
            });
            fields
        };
        let mut spokes = unclaimed(self, Side::Spoke, spoke);
        let mut hubs = unclaimed(self, Side::Hub, hub);
        let mut pairs = paired(&mut spokes, &mut hubs, |spoke, hub| {
            spoke.json_name == hub.json_name
        });
        let renamed = paired(&mut spokes, &mut hubs, |spoke, hub| {
            is_renamed(spoke, hub) || is_renamed(hub, spoke)
        });
        for [spoke, hub] in &renamed {
            for (side, it, other) in [(Side::Spoke, spoke, hub), (Side::Hub, hub, spoke)] {
                if is_renamed(it.field, other.field) {
                    self.used.insert((side, it.owner, &it.field.json_name));
                }
            }
        }
        pairs.extend(renamed);
        let mut rules = Vec::new();
        for pair in pairs {
            let how = self.how(pair);
            let paths = pair.map(|it| it.field.json_name.clone());
            let is_same = how == How::Same && paths[0] == paths[1];
            if !is_same {
                rules.push(Rule { paths, how });
            }
        }
        let spokes = spokes.into_iter().map(|it| (Side::Spoke, it));
        let hubs = hubs.into_iter().map(|it| (Side::Hub, it));
        for (side, it) in spokes.chain(hubs) {
            rules.push(self.alone(side, it));
        }
        rules
    }

    /// The rule of a field that one side has.
    fn alone(&mut self, side: Side, it: Owned<'a>) -> Rule<'a> {
        let field = it.field;
        let how = match (field.required, &field.default, is_lossy(field)) {
            (true, Some(default), _) => How::Defaulted(side, default),
            (true, None, _) => How::Made(side, field),
            (false, _, true) => {
                self.used.insert((side, it.owner, &field.json_name));
                How::Dropped(side)
            }
            (false, _, false) => How::Kept(side),
        };
        let paths = [field.json_name.clone(), field.json_name.clone()];
        Rule { paths, how }
    }

    /// Removes the rules for objects that do not differ.
    fn drop_trivial(&mut self) {
        let mut differing = BTreeSet::new();
        let differs = |rule: &Rule<'_>, differing: &BTreeSet<usize>| match &rule.how {
            How::Within { table, .. } => {
                differing.contains(table) || rule.paths[0] != rule.paths[1]
            }
            _ => true,
        };
        loop {
            let found = self.tables.iter().enumerate().filter(|(index, table)| {
                !differing.contains(index) && table.rules.iter().any(|it| differs(it, &differing))
            });
            let found: Vec<usize> = found.map(|(index, _)| index).collect();
            if found.is_empty() {
                break;
            }
            differing.extend(found);
        }
        for table in &mut self.tables {
            table.rules.retain(|rule| differs(rule, &differing));
            for rule in &mut table.rules {
                if matches!(&rule.how, How::Within { table, .. } if !differing.contains(table)) {
                    rule.how = How::Same;
                }
            }
        }
    }
}

fn joined(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

/// Takes pairs of fields out of two lists.
fn paired<'a>(
    spokes: &mut Vec<Owned<'a>>,
    hubs: &mut Vec<Owned<'a>>,
    is_pair: impl Fn(&Field, &Field) -> bool,
) -> Vec<[Owned<'a>; 2]> {
    let mut pairs = Vec::new();
    spokes.retain(|spoke| {
        let found = hubs.iter().position(|hub| is_pair(spoke.field, hub.field));
        if let Some(at) = found {
            pairs.push([*spoke, hubs.remove(at)]);
        }
        found.is_none()
    });
    pairs
}

/// Whether a marker of a field says that the other one is the same under an old name.
fn is_renamed(field: &Field, other: &Field) -> bool {
    let marked = field.conversion.as_deref();
    marked.is_some_and(|it| it.renamed_from.contains(&other.json_name))
}

fn is_lossy(field: &Field) -> bool {
    let marked: Option<&FieldConversion> = field.conversion.as_deref();
    marked.is_some_and(|it| it.lossy.is_some())
}
