//! Fills the rules of aggregated roles (`k8s.io/kubernetes/pkg/controller/clusterroleaggregation`).

use std::sync::Arc;

use serde_json::{Value, json};

use crate::core::{Change, Core, Observer};
use crate::metadata::object;
use crate::registry::{Cluster, Served};
use crate::rest::write::edit;
use crate::selector::LabelSelector;
use crate::store::Key;
use crate::store::stored::Labels;

const GROUP: &str = "rbac.authorization.k8s.io";

/// The controller of aggregated roles.
#[derive(Debug)]
pub(super) struct AggregatedRoles;

impl Observer for AggregatedRoles {
    fn observe(&self, core: &Arc<Core>, served: &Served, change: &Change<'_>) {
        if !served.is(GROUP, "clusterroles") {
            return;
        }
        let changes_nothing = match change {
            Change::Written {
                old: Some(old),
                new,
            } => {
                old["rules"] == new["rules"]
                    && old["aggregationRule"] == new["aggregationRule"]
                    && old["metadata"]["labels"] == new["metadata"]["labels"]
            }
            _ => false,
        };
        if !changes_nothing {
            fill_all(core, served);
        }
    }
}

/// Sets the rules of every aggregated role. A role that this changes is observed again, until all have settled.
fn fill_all(core: &Arc<Core>, served: &Served) {
    let roles = Cluster::stored(&**core, GROUP, "clusterroles");
    for role in &roles {
        let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array();
        let Some(selectors) = selectors else {
            continue;
        };
        let selectors: Vec<LabelSelector> = selectors.iter().map(LabelSelector::of).collect();
        let mut rules: Vec<Value> = Vec::new();
        for other in roles
            .iter()
            .filter(|it| object::name(it) != object::name(role))
        {
            let labels = Labels::of(other);
            if selectors.iter().any(|selector| selector.matches(&labels)) {
                for rule in other["rules"].as_array().into_iter().flatten() {
                    if !rules.contains(rule) {
                        rules.push(rule.clone());
                    }
                }
            }
        }
        if role["rules"].as_array().map_or(&[][..], Vec::as_slice) != rules {
            edit(core, served, &Key::new("", object::name(role)), &|role| {
                role["rules"] = json!(rules);
            });
            // The change was observed, and the roles that join this one with it.
            return;
        }
    }
}
