//! Merging of rules in controller-gen's steps, so that the output is the same.
//!
//! If two merged rules cover the same resources, controller-gen drops one of them. Here their verbs are united instead, and the
//! steps are repeated until no two rules cover the same resources.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::PolicyRule;

/// A sorted set of strings.
type Set = BTreeSet<String>;

/// A rule as sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) groups: Set,
    pub(super) resources: Set,
    pub(super) names: Set,
    pub(super) urls: Set,
    pub(super) verbs: Set,
}

impl Rule {
    /// The rules of a marker, one per resource.
    pub(super) fn of(rule: &PolicyRule) -> Vec<Self> {
        let set = |texts: &[String]| texts.iter().cloned().collect::<Set>();
        let whole = Self {
            groups: set(&rule.groups),
            resources: Set::new(),
            names: set(&rule.resource_names),
            urls: set(&rule.urls),
            verbs: set(&rule.verbs),
        };
        if rule.resources.is_empty() {
            return vec![whole];
        }
        let of_resource = |resource: &String| Self {
            resources: [resource.clone()].into(),
            ..whole.clone()
        };
        rule.resources.iter().map(of_resource).collect()
    }

    /// The rule's subject, which is the sort key.
    fn key(&self) -> String {
        let parts = [&self.groups, &self.resources, &self.names, &self.urls];
        parts.map(joined).join(" + ")
    }

    fn part(&mut self, part: Part) -> &mut Set {
        match part {
            Part::Verbs => &mut self.verbs,
            Part::Resources => &mut self.resources,
            Part::Groups => &mut self.groups,
            Part::Urls => &mut self.urls,
        }
    }
}

fn joined(set: &Set) -> String {
    set.iter().map(String::as_str).collect::<Vec<_>>().join("&")
}

/// The part of a rule to unite; all other parts must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Verbs,
    Resources,
    Groups,
    Urls,
}

/// The merged rules, sorted.
pub(super) fn merge(rules: Vec<Rule>) -> Vec<Rule> {
    let mut rules = rules;
    loop {
        for part in [Part::Verbs, Part::Resources, Part::Groups, Part::Urls] {
            rules = unite(rules, part);
        }
        let count = rules.len();
        let keys: BTreeSet<String> = rules.iter().map(Rule::key).collect();
        if keys.len() == count {
            break;
        }
    }
    rules.sort_by_cached_key(Rule::key);
    for rule in &mut rules {
        if rule.verbs.contains("*") {
            rule.verbs = ["*".to_owned()].into();
        }
    }
    rules
}

/// Unites rules that differ only in one part.
fn unite(rules: Vec<Rule>, part: Part) -> Vec<Rule> {
    let mut united: BTreeMap<[String; 5], Rule> = BTreeMap::new();
    for mut rule in rules {
        let own = std::mem::take(rule.part(part));
        let key = [
            &rule.groups,
            &rule.resources,
            &rule.names,
            &rule.urls,
            &rule.verbs,
        ]
        .map(joined);
        united.entry(key).or_insert(rule).part(part).extend(own);
    }
    united.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `groups|resources|names|urls|verbs`, each a comma-separated list.
    fn rule(text: &str) -> Rule {
        let mut parts = text.split('|').map(|part| {
            let texts = part.split(',').filter(|text| !text.is_empty());
            texts.map(str::to_owned).collect::<Set>()
        });
        let mut part = || parts.next().unwrap_or_default();
        Rule {
            groups: part(),
            resources: part(),
            names: part(),
            urls: part(),
            verbs: part(),
        }
    }

    #[track_caller]
    fn check(given: &[&str], expected: &[&str]) {
        let rules = |texts: &[&str]| texts.iter().map(|text| rule(text)).collect::<Vec<_>>();
        let mut given = rules(given);
        assert_eq!(merge(given.clone()), rules(expected));
        given.reverse();
        assert_eq!(merge(given), rules(expected), "in reverse");
    }

    #[test]
    fn rules_that_differ_in_one_part_are_one() {
        check(&["a|x|||get", "a|x|||list"], &["a|x|||get,list"]);
        check(&["a|x|||get", "a|y|||get"], &["a|x,y|||get"]);
        check(&["a|x|||get", "b|x|||get"], &["a,b|x|||get"]);
        check(&["|||/a|get", "|||/b|get"], &["|||/a,/b|get"]);
        check(&["a|x|||get", "b|y|||get"], &["a|x|||get", "b|y|||get"]);
        check(&["a|x|n||get", "a|x|||get"], &["a|x|||get", "a|x|n||get"]);
    }

    #[test]
    fn every_verb_swallows_others_only_at_the_end() {
        check(
            &["a|x|||*", "a|x|||get", "a|x/status|||*"],
            &["a|x|||*", "a|x/status|||*"],
        );
    }

    /// controller-gen keeps one of the two rules about `a,b` and drops the other.
    #[test]
    fn no_rule_is_lost() {
        check(
            &["a,b|x|||get", "a|x|||list", "b|x|||list"],
            &["a,b|x|||get,list"],
        );
    }

    /// Merges no more than controller-gen does: its steps run once, unless a rule would be lost.
    #[test]
    fn rules_that_could_be_one_are_left_as_controller_gen_leaves_them() {
        check(
            &["a|x|||get", "b|x|||get", "a,b|y|||get"],
            &["a,b|x|||get", "a,b|y|||get"],
        );
    }
}
