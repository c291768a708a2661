//! Finds the unions of one struct: fields that exclude each other, however that is expressed.
//!
//! Two fields exclude each other if the API server accepts no object with both. An enum field each
//! of whose values permits one of the fields is their discriminator.

use std::collections::BTreeMap;
use std::{cmp::Reverse, collections::BTreeSet};

use super::rule::{Names, Rule};
use super::{
    facts::{Budget, Facts, Truth},
    schema,
};
use crate::model::{
    Field, FieldUnion, StructDef, UnionBound, UnionMember, Validation, names::schema::variant_names,
};

/// Structs in which rules mention more fields are skipped: checking each pair would take too long.
const MOST_FIELDS: usize = 128;

/// The limit on work for one struct, counted in evaluated parts of rules and schemas: about a
/// second in an unoptimized build. Structs that would exceed it are skipped.
const MOST_STEPS: u64 = 4_000_000;

/// An enum field, with all its possible values.
pub(super) struct EnumField<'a> {
    pub(super) name: &'a str,
    pub(super) values: Vec<&'a str>,
    /// Whether it may be absent.
    pub(super) optional: bool,
}

/// A struct with all its constraints.
pub(super) struct Demands<'a> {
    body: &'a StructDef,
    validation: &'a Validation,
    rules: Vec<Rule>,
    /// The index of each of these rules among the struct's rules.
    positions: Vec<usize>,
    /// The rules that involve each field, by field index.
    rules_about: BTreeMap<usize, BTreeSet<usize>>,
    enums: Vec<EnumField<'a>>,
    /// The names of the fields that constraints involve.
    mentioned: BTreeSet<&'a str>,
    /// The cost of evaluating the combinators once.
    weight: u64,
    budget: Budget,
}

/// Fields that exclude each other.
struct Clique<'a> {
    members: Vec<&'a str>,
    bound: UnionBound,
    /// The enum field whose values determine it; `None` if they exclude each other regardless.
    discriminator: Option<&'a EnumField<'a>>,
}

impl<'a> Demands<'a> {
    /// Returns `None` if no constraint could produce a union.
    pub(super) fn of(
        body: &'a StructDef,
        validation: &'a Validation,
        enums: impl FnOnce() -> Vec<EnumField<'a>>,
    ) -> Option<Self> {
        let (positions, rules) = {
            let names = Names::of(&body.fields);
            let rules = validation.rules.iter().enumerate();
            let rules = rules.filter_map(|(at, rule)| Some((at, Rule::of(rule, &names)?)));
            rules.unzip::<usize, Rule, Vec<usize>, Vec<Rule>>()
        };
        let is_bound = !rules.is_empty()
            || !validation.combinators.is_empty()
            || validation.max_properties.is_some_and(|most| most == 1);
        if !is_bound {
            return None;
        }
        let mut mentioned = Vec::new();
        schema::mentioned(validation, &mut mentioned);
        let mut rules_about = BTreeMap::<usize, BTreeSet<usize>>::new();
        for (index, rule) in rules.iter().enumerate() {
            for position in rule.fields() {
                rules_about.entry(position).or_default().insert(index);
                let field = body.fields.get(position);
                mentioned.extend(field.map(|field| field.json_name.as_str()));
            }
        }
        Some(Self {
            body,
            validation,
            rules,
            positions,
            rules_about,
            enums: enums(),
            mentioned: mentioned.into_iter().collect(),
            weight: schema::weight(validation),
            budget: Budget::of(MOST_STEPS),
        })
    }

    /// Returns the unions: exactly-one unions first, then the largest.
    pub(super) fn unions(&self) -> Vec<FieldUnion> {
        let unions = self.found();
        // Results of an incomplete search would be arbitrary.
        if self.budget.is_spent() {
            return Vec::new();
        }
        unions
    }

    /// Returns the indices of rules that hold for every object that satisfies a union, and are
    /// therefore redundant next to it.
    pub(super) fn said_by(&self, unions: &[FieldUnion]) -> Vec<usize> {
        let is_said = |rule: &Rule, union: &FieldUnion| {
            let mut states = self.states(union).into_iter().peekable();
            let holds = |facts: &Facts<'_>| {
                rule.holds(facts, &self.body.fields, &self.budget) == Truth::Yes
            };
            states.peek().is_some() && states.all(|facts| holds(&facts))
        };
        let rules = self.positions.iter().zip(&self.rules);
        let said = rules.filter(|(_, rule)| unions.iter().any(|union| is_said(rule, union)));
        said.map(|(position, _)| *position).collect()
    }

    /// Returns assumptions of which at least one holds for each object that satisfies the union.
    fn states<'u>(&'u self, union: &'u FieldUnion) -> Vec<Facts<'u>> {
        let facts = Facts::of(self.body);
        let names: Vec<&str> = union.members.iter().map(|one| one.field.as_str()).collect();
        let alone = |name: &'u str| facts.with_unset(&names).with_set(&[name]);
        let none = facts.with_unset(&names);
        let Some(by) = &union.discriminator else {
            return match union.bound {
                UnionBound::ExactlyOne => names.iter().map(|name| alone(name)).collect(),
                UnionBound::AtMostOne => {
                    let each = names.iter().map(|name| alone(name));
                    each.chain([none]).collect()
                }
                UnionBound::AtLeastOne => {
                    let each = names.iter().map(|name| facts.with_set(&[*name]));
                    each.collect()
                }
            };
        };
        let Some(by) = self.enums.iter().find(|one| one.name == by) else {
            return Vec::new();
        };
        let mut states = Vec::new();
        for value in &by.values {
            let mut members = union.members.iter();
            let member = members.find(|member| member.value.as_deref() == Some(value));
            if let Some(member) = member {
                states.push(alone(&member.field).with_value(by.name, value));
            }
            if union.bound != UnionBound::ExactlyOne {
                states.push(none.with_value(by.name, value));
            }
        }
        if by.optional && union.bound != UnionBound::ExactlyOne {
            states.push(none.with_unset(&[by.name]));
        }
        states
    }

    fn found(&self) -> Vec<FieldUnion> {
        let fields = self.members();
        if fields.len() > MOST_FIELDS || self.refuses_any() {
            return Vec::new();
        }
        let mut cliques = self.cliques(&fields, None);
        for by in self.enums.iter().filter(|by| self.mentions(by.name)) {
            cliques.extend(self.cliques(&fields, Some(by)));
        }
        cliques.sort_by_key(|clique| {
            let size = Reverse(clique.members.len());
            (clique.bound, size, clique.discriminator.is_none())
        });
        let mut taken = BTreeSet::new();
        let mut discriminators = BTreeSet::new();
        cliques.retain(|clique| {
            let by = clique.discriminator.map(|by| by.name);
            let free = clique.members.iter().all(|name| !taken.contains(name))
                && by.is_none_or(|by| discriminators.insert(by));
            if free {
                taken.extend(clique.members.iter().copied());
            }
            free
        });
        let mut unions: Vec<FieldUnion> = cliques
            .iter()
            .map(|clique| self.described(clique))
            .collect();
        unions.extend(self.at_least_one(&fields, &unions));
        unions
    }

    /// Returns the optional fields that constraints involve.
    fn members(&self) -> Vec<&'a Field> {
        let counts = self.validation.max_properties == Some(1);
        let fields = self.body.fields.iter();
        let facts = Facts::of(self.body);
        fields
            .filter(|field| !field.required && field.default.is_none())
            .filter(|field| !field.skip && !field.flatten)
            .filter(|field| counts || self.mentions(&field.json_name))
            .filter(|field| !self.refuses(&facts.with_set(&[&field.json_name])))
            .collect()
    }

    fn mentions(&self, name: &str) -> bool {
        self.mentioned.contains(name)
    }

    /// Whether the API server rejects every object.
    fn refuses_any(&self) -> bool {
        let facts = Facts::of(self.body);
        let breaks_rules = self.rules.iter().any(|rule| self.breaks(rule, &facts));
        self.refuses(&facts) || breaks_rules
    }

    /// Whether the API server rejects every object that satisfies the facts, because of combinators
    /// or rules that involve the assumptions.
    fn refuses(&self, facts: &Facts<'_>) -> bool {
        self.budget.spend(self.weight);
        if self.budget.is_spent() {
            return false;
        }
        schema::holds(self.validation, facts) == Truth::No || self.breaks_rules(facts)
    }

    fn breaks_rules(&self, facts: &Facts<'_>) -> bool {
        let about = facts.assumed().iter();
        let about = about.filter_map(|position| self.rules_about.get(position));
        let about: BTreeSet<usize> = about.flatten().copied().collect();
        let mut rules = about.iter().filter_map(|index| self.rules.get(*index));
        rules.any(|rule| self.breaks(rule, facts))
    }

    fn breaks(&self, rule: &Rule, facts: &Facts<'_>) -> bool {
        rule.holds(facts, &self.body.fields, &self.budget) == Truth::No
    }

    /// Whether it also rejects them for every value of an enum field.
    fn refuses_always(&self, facts: &Facts<'a>, by: Option<&EnumField<'a>>) -> bool {
        let by_value = |by: &EnumField<'a>| {
            let missing = facts.with_unset(&[by.name]);
            let mut values = by.values.iter();
            values.all(|value| self.refuses(&facts.with_value(by.name, value)))
                && (!by.optional || self.refuses(&missing))
        };
        self.refuses(facts) || by.is_some_and(by_value)
    }

    /// Returns sets of fields that exclude each other; with an enum field, those that its values
    /// make exclusive.
    fn cliques(&'a self, fields: &[&'a Field], by: Option<&'a EnumField<'a>>) -> Vec<Clique<'a>> {
        let facts = Facts::of(self.body);
        let names: Vec<&str> = match by {
            None => fields
                .iter()
                .map(|field| field.json_name.as_str())
                .collect(),
            Some(by) => self.named_by_values(fields, by),
        };
        // Each value of an enum permits only one of its fields. Other pairs are checked once up
        // front, since the search revisits them.
        let mut excluding = BTreeSet::new();
        if by.is_none() {
            for (index, a) in names.iter().enumerate() {
                let others = names.iter().skip(index + 1);
                let others = others.filter(|b| self.refuses(&facts.with_set(&[a, b])));
                excluding.extend(others.flat_map(|b| [(*a, *b), (*b, *a)]));
            }
        }
        let excludes = |a: &str, b: &str| by.is_some() || excluding.contains(&(a, b));
        let mut found: Vec<Vec<&str>> = Vec::new();
        for (index, first) in names.iter().enumerate() {
            let mut members = vec![*first];
            let others = names.iter().skip(index + 1).chain(names.iter().take(index));
            for other in others {
                if members.iter().all(|member| excludes(member, other)) {
                    members.push(other);
                }
            }
            let position = |name: &&str| names.iter().position(|other| other == name);
            members.sort_by_key(position);
            if members.len() > 1 && !found.contains(&members) {
                found.push(members);
            }
        }
        let clique = |members: Vec<&'a str>| {
            let none = facts.with_unset(&members);
            let bound = match self.refuses_always(&none, by) {
                true => UnionBound::ExactlyOne,
                false => UnionBound::AtMostOne,
            };
            Clique {
                members,
                bound,
                discriminator: by,
            }
        };
        found.into_iter().map(clique).collect()
    }

    /// Returns the only value of an enum field with which the API server accepts an object with a
    /// field.
    fn value_of(&self, name: &'a str, by: &EnumField<'a>) -> Option<&'a str> {
        let facts = Facts::of(self.body).with_set(&[name]);
        if by.optional && !self.refuses(&facts.with_unset(&[by.name])) {
            return None;
        }
        let mut values = by.values.iter();
        let mut permits = values
            .by_ref()
            .filter(|value| !self.refuses(&facts.with_value(by.name, value)));
        let value = permits.next()?;
        permits.next().is_none().then_some(*value)
    }

    /// Returns the fields each of which is permitted by a different value: if a value permits
    /// several, the one that it requires, or else the one that it names.
    fn named_by_values(&self, fields: &[&'a Field], by: &EnumField<'a>) -> Vec<&'a str> {
        let names = fields.iter().map(|field| field.json_name.as_str());
        let names = names.filter(|name| *name != by.name);
        let values: Vec<(&str, &str)> = names
            .filter_map(|name| Some((name, self.value_of(name, by)?)))
            .collect();
        let is_required = |name: &'a str, value: &'a str| {
            let facts = Facts::of(self.body).with_unset(&[name]);
            self.refuses(&facts.with_value(by.name, value))
        };
        let rank = |(name, value): (&'a str, &'a str)| {
            let letters = |text: &str| {
                let letters = text.chars().filter(char::is_ascii_alphanumeric);
                letters.collect::<String>().to_ascii_lowercase()
            };
            (is_required(name, value), letters(name) == letters(value))
        };
        let is_best = |&(name, value): &(&'a str, &'a str)| {
            let mut rivals = values.iter();
            rivals.all(|&(rival, of)| {
                of != value || rival == name || rank((rival, of)) < rank((name, value))
            })
        };
        let best = values.iter().filter(|pair| is_best(pair));
        best.map(|(name, _)| *name).collect()
    }

    /// Returns groups of fields of which at least one must be set, unless another union implies it.
    fn at_least_one(&self, fields: &[&'a Field], unions: &[FieldUnion]) -> Vec<FieldUnion> {
        let facts = Facts::of(self.body);
        let is_told = |name: &str| {
            let mut told = unions
                .iter()
                .filter(|union| union.bound == UnionBound::ExactlyOne);
            told.any(|union| union.member(name).is_some())
        };
        let names = fields.iter().map(|field| field.json_name.as_str());
        let mut left: Vec<&str> = names.filter(|name| !is_told(name)).collect();
        let mut found = Vec::new();
        while self.refuses(&facts.with_unset(&left)) {
            let mut members = left.clone();
            for name in &left {
                let others: Vec<&str> = members.iter().copied().filter(|one| one != name).collect();
                if self.refuses(&facts.with_unset(&others)) {
                    members = others;
                }
            }
            left.retain(|name| !members.contains(name));
            if members.is_empty() {
                break;
            }
            if members.len() > 1 {
                found.push(self.described(&Clique {
                    members,
                    bound: UnionBound::AtLeastOne,
                    discriminator: None,
                }));
            }
        }
        found
    }

    fn described(&self, clique: &Clique<'_>) -> FieldUnion {
        let variants = variant_names(&clique.members);
        let members = clique.members.iter().zip(variants);
        let value = |name: &str| {
            let name = self
                .body
                .fields
                .iter()
                .find(|field| field.json_name == name)?;
            self.value_of(&name.json_name, clique.discriminator?)
        };
        FieldUnion {
            bound: clique.bound,
            discriminator: clique.discriminator.map(|by| by.name.to_owned()),
            members: members
                .map(|(name, variant)| UnionMember {
                    field: (*name).to_owned(),
                    variant,
                    value: value(name).map(str::to_owned),
                })
                .collect(),
            view: None,
        }
    }
}
