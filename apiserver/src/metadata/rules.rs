//! Server-owned and immutable metadata.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::object::{self, at, text};
use crate::status::ApiError;
use crate::types::scalars::rfc3339;
use kube_names::NameRule;

/// How the metadata rules of a kind differ from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) names: NameRule,
    /// Finalizers must be qualified names, except for those of Kubernetes itself.
    pub(crate) qualified_finalizers: bool,
    /// An update without a resourceVersion overwrites the object.
    pub(crate) unconditional_update: bool,
    /// An update creates the object if it does not exist.
    pub(crate) create_on_update: bool,
    /// `metadata.generation` counts the changes outside of metadata and status.
    pub(crate) generation: bool,
    /// The metadata whose changes count as well.
    pub(crate) counted_metadata: &'static [&'static str],
    /// A deletion returns the object instead of a status.
    pub(crate) returns_deleted: bool,
    /// Collections can be deleted.
    pub(crate) delete_collection: bool,
}

impl Rules {
    /// The rules of custom resources.
    pub(crate) const CUSTOM: Self = Self {
        names: NameRule::Subdomain,
        qualified_finalizers: false,
        unconditional_update: false,
        create_on_update: false,
        generation: true,
        counted_metadata: &[],
        returns_deleted: false,
        delete_collection: true,
    };
}

/// Sets the namespace of an object to that of the path. `None` is for a cluster-scoped kind: any
/// namespace is dropped.
///
/// # Errors
/// 400 if the object of a namespaced kind has another namespace.
pub(crate) fn settle_namespace(
    namespace: Option<&str>,
    object: &mut Value,
) -> Result<(), ApiError> {
    let given = object::namespace(object);
    if namespace.is_some_and(|namespace| !given.is_empty() && given != namespace) {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    object::set_meta(object, "namespace", namespace.map(|n| json!(n)));
    Ok(())
}

/// What creates an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A POST.
    #[default]
    Create,
    /// An update or apply of an object that does not exist: kube-apiserver keeps the deletion in
    /// its metadata.
    Update,
}

/// Sets the server-owned metadata of a new object. A kind that does not count generations keeps the
/// given one.
pub(crate) fn prepare_create(rules: &Rules, origin: Origin, now: Timestamp, object: &mut Value) {
    let deletion: &[&str] = match origin {
        Origin::Create => &["deletionTimestamp", "deletionGracePeriodSeconds"],
        Origin::Update => &[],
    };
    for field in ["selfLink", "resourceVersion"].iter().chain(deletion) {
        object::set_meta(object, field, None);
    }
    object::set_meta(object, "uid", Some(json!(object::new_uid())));
    object::set_meta(object, "creationTimestamp", Some(json!(rfc3339(now))));
    if rules.generation {
        object::set_meta(object, "generation", Some(json!(1)));
    }
}

/// Generates a name from `generateName`, unless the object has a name.
pub(crate) fn generate_name(object: &mut Value) {
    let base = text(object, &["metadata", "generateName"]).to_owned();
    if object::name(object).is_empty() && !base.is_empty() {
        // Truncates the base so that the name with its suffix has at most 63 bytes.
        let end = base
            .char_indices()
            .map(|(i, c)| i + c.len_utf8())
            .take_while(|end| *end <= 58)
            .last();
        let name = format!(
            "{}{}",
            &base[..end.unwrap_or_default()],
            object::name_suffix()
        );
        object::set_meta(object, "name", Some(json!(name)));
    }
}

/// Restores the metadata that an update cannot change or may omit.
pub(crate) fn prepare_update(old: &Value, new: &mut Value) {
    for field in ["creationTimestamp", "selfLink", "generation"] {
        object::set_meta(new, field, at(old, &["metadata", field]).cloned());
    }
    if object::is_deleting(old) {
        object::set_meta(
            new,
            "deletionTimestamp",
            at(old, &["metadata", "deletionTimestamp"]).cloned(),
        );
    }
    for field in ["uid", "deletionGracePeriodSeconds"] {
        if at(new, &["metadata", field]).is_none_or(|v| v.is_null() || v == "") {
            object::set_meta(new, field, at(old, &["metadata", field]).cloned());
        }
    }
}

/// Increments the generation if anything changed besides metadata that does not count and, for a
/// kind with a status subresource (`has_status`), the status.
pub(crate) fn bump_generation(rules: &Rules, has_status: bool, old: &Value, new: &mut Value) {
    if !rules.generation {
        return;
    }
    let counted = |object: &Value, name: &str| {
        let map = at(object, &["metadata", name]).and_then(Value::as_object);
        map.filter(|map| !map.is_empty()).cloned()
    };
    let uncounted = match has_status {
        true => &["metadata", "apiVersion", "status"][..],
        false => &["metadata", "apiVersion"],
    };
    let mut counted_metadata = rules.counted_metadata.iter();
    let changes = !object::equal_but(old, new, uncounted)
        || counted_metadata.any(|name| counted(old, name) != counted(new, name));
    let generation = object::generation(old);
    let changed = i64::from(changes);
    object::set_meta(new, "generation", Some(json!(generation + changed)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_name_appends_five_characters_to_at_most_fifty_eight() {
        let mut object = json!({"metadata": {"generateName": "x".repeat(70)}});
        generate_name(&mut object);
        assert_eq!(object::name(&object).len(), 63);
        let mut named = json!({"metadata": {"generateName": "x-", "name": "n"}});
        generate_name(&mut named);
        assert_eq!(object::name(&named), "n");
    }
}
