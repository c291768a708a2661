//! Ownership of the replicas that a write of a scale sets.
//!
//! kube-apiserver tracks the fields of the scale, and then carries the result over to the object
//! (`ScaleHandler` of `k8s.io/apimachinery/pkg/util/managedfields`).

use serde_json::Value;

use super::element::{Element, FieldPath};
use super::managed::Managed;
use super::set::Set;

/// Whether a manager owns the replicas of an object. A write of the scale makes its manager the
/// owner only then: an object without owners gets none.
pub(crate) fn has_owner(object: &Value, path: &str) -> bool {
    let path = field_path(path);
    let managed = Managed::decode(object).unwrap_or_default();
    managed.0.values().any(|owned| owned.set.has(&path))
}

/// Settles who owns the replicas of an object after a write of its scale by `manager`: managers
/// that updated the object keep them only if they own nothing else. The two entries that
/// kube-apiserver makes of theirs have the same key, so that it forgets the one with the replicas.
pub(crate) fn settle_replicas(object: &mut Value, path: &str, manager: &str) {
    // A stored object always decodes.
    let Ok(mut managed) = Managed::decode(object) else {
        return;
    };
    let path = field_path(path);
    let mut replicas = Set::default();
    replicas.insert(&path);
    for (owner, owned) in &mut managed.0 {
        let others = owned.set.difference(&replicas);
        let is_writer = owner.name == manager && owner.subresource == "scale";
        if owned.set.has(&path) && !owner.applies() && !is_writer && !others.is_empty() {
            owned.set = others;
        }
    }
    managed.encode(object);
}

/// Takes the replicas of an object from all managers if a write of its scale has set them to zero:
/// a scale omits zero replicas, so that the write removes them.
pub(crate) fn disown_zero_replicas(old: &Value, object: &mut Value, path: &str) {
    let count = |object: &Value| {
        let mut keys = path.split('.').filter(|key| !key.is_empty());
        let found = keys.try_fold(object, |value, key| value.get(key));
        found.and_then(Value::as_i64).unwrap_or_default()
    };
    // A stored object always decodes.
    let Ok(mut managed) = Managed::decode(object) else {
        return;
    };
    if count(object) != 0 || count(old) == 0 {
        return;
    }
    let mut replicas = Set::default();
    replicas.insert(&field_path(path));
    for owned in managed.0.values_mut() {
        owned.set = owned.set.difference(&replicas);
    }
    managed.drop_empty();
    managed.encode(object);
}

fn field_path(path: &str) -> FieldPath {
    let names = path.split('.').filter(|name| !name.is_empty());
    names.map(|name| Element::Field(name.to_owned())).collect()
}
