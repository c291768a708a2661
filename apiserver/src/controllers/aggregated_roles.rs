//! Fills the rules of aggregated roles (`k8s.io/kubernetes/pkg/controller/clusterroleaggregation`).

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

use serde_json::{Value, json};

use crate::core::{Change, Core, Observer};
use crate::metadata::object;
use crate::registry::{Cluster, Served};
use crate::rest::write::edit;
use crate::selector::LabelSelector;
use crate::store::Key;
use crate::store::stored::Labels;

const GROUP: &str = "rbac.authorization.k8s.io";

/// How often the rules of all roles are computed after a change. Roles that join each other in a
/// circle may never settle.
const MOST_ROUNDS: usize = 16;

/// The controller of aggregated roles.
#[derive(Debug, Default)]
pub(super) struct AggregatedRoles {
    is_running: AtomicBool,
    /// Whether a role has changed since the last round began.
    is_due: AtomicBool,
}

impl AggregatedRoles {
    /// Computes the rules until they have settled. Changes that this makes are observed, too, and
    /// only ask for another round.
    fn settle(&self, core: &Arc<Core>, served: &Served) {
        self.is_due.store(true, SeqCst);
        let mut rounds = 0;
        while rounds < MOST_ROUNDS && self.is_due.load(SeqCst) {
            if self.is_running.swap(true, SeqCst) {
                return;
            }
            while rounds < MOST_ROUNDS && self.is_due.swap(false, SeqCst) {
                fill_all(core, served);
                rounds += 1;
            }
            self.is_running.store(false, SeqCst);
        }
    }
}

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
            self.settle(core, served);
        }
    }
}

/// Sets the rules of every aggregated role.
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
        if object::list(&role["rules"]) != rules {
            edit(core, served, &Key::new("", object::name(role)), &|role| {
                role["rules"] = json!(rules);
            });
        }
    }
}
