//! Delete requests for an object or a collection.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::admission::Admission;
use super::conversion::{prepare, to_stored};
use super::options::{DeleteOptions, Propagation};
use super::present::present;
use super::{Call, Requester, list, write};
use crate::core::{Change, Controllers, Core};
use crate::http::respond::{Answer, Content};
use crate::metadata::object;
use crate::registry::Served;
use crate::status::{ApiError, GroupResource};
use crate::store::{CommitError, Draft, Expect, Key, Stored};
use crate::types::scalars::rfc3339;

/// The outcome of a deletion.
#[derive(Debug)]
pub(crate) enum Deleted {
    /// The object is gone; holds its last state.
    Removed(Value),
    /// The object remains with a deletionTimestamp, because of its finalizers or grace period.
    Marked(Value),
}

/// Handles DELETE of an object.
pub(crate) async fn delete(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = DeleteOptions::parse(&call.query, call.content_type.as_deref(), &call.body)?;
    match delete_object(
        core,
        &call.served,
        &call.key(),
        &options,
        Some(&call.requester),
    )
    .await?
    {
        Deleted::Marked(object) => {
            let code = if options.not_orphaning { 202 } else { 200 };
            present(call, code, &object)
        }
        Deleted::Removed(object) if call.served.resource.rules.returns_deleted => {
            present(call, 200, &object)
        }
        Deleted::Removed(object) => {
            let resource = &call.served.resource;
            let mut details =
                json!({"name": call.name, "kind": resource.plural, "uid": object::uid(&object)});
            if !resource.group.is_empty() {
                details["group"] = json!(resource.group);
            }
            let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details});
            Ok(Answer::new(
                200,
                Content::Document(status, call.accepted.format),
            ))
        }
    }
}

/// Handles DELETE of a collection: deletes all objects that match the selectors, and answers with
/// them as they were listed.
pub(crate) async fn delete_collection(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = DeleteOptions::parse(&call.query, call.content_type.as_deref(), &call.body)?;
    let page = list::page(core, call).await?;
    for stored in &page.objects {
        let deleted = delete_object(
            core,
            &call.served,
            &stored.key,
            &options,
            Some(&call.requester),
        )
        .await;
        if let Err(error) = deleted
            && error.code != 404
        {
            return Err(error);
        }
    }
    Ok(Answer::new(
        200,
        Content::Json(list::stream(&call.served, page)),
    ))
}

/// Deletes an object, or marks it for deletion if it has finalizers or a grace period. Admission
/// webhooks are only called if there is a requester.
///
/// # Errors
/// 404 if the object does not exist, 409 if a precondition fails.
pub(crate) async fn delete_object(
    core: &Arc<Core>,
    served: &Served,
    key: &Key,
    options: &DeleteOptions,
    by: Option<&Requester>,
) -> Result<Deleted, ApiError> {
    let gr = served.resource.group_resource();
    for _ in 0..write::TRIES {
        let current = core
            .find(served, key)
            .ok_or_else(|| ApiError::not_found(&gr, &key.name))?;
        check_preconditions(served, &current, options)?;
        prepare(core, served, [&current]).await?;
        let old = served.decode(&current);
        if let Some(why) = served.resource.strategy.undeletable(&key.name) {
            return Err(ApiError::forbidden(&gr, &key.name, why));
        }
        if let Some(by) = by {
            admit(core, served, key, options, by, &old).await?;
        }
        let new = mark(core, served, &old, options);
        let removes = object::finalizers(&new).is_empty()
            && remaining_grace(&new) == 0
            && !write::is_held(core, served, &new);
        if options.dry_run {
            return Ok(match removes {
                true if served.resource.strategy.marks_before_removal() => Deleted::Removed(new),
                true => Deleted::Removed(last_state(old)),
                false => Deleted::Marked(new),
            });
        }
        if !removes && new == old {
            // A repeated deletion has no effect.
            return Ok(Deleted::Marked(old));
        }
        let marks = removes && served.resource.strategy.marks_before_removal() && new != old;
        let schema = served.version().stored_schema;
        let stored_form = to_stored(core, served, new).await?;
        let draft = Draft::of(&stored_form, schema);
        let result = core.store.commit(
            served.resource.id,
            key,
            Expect::Revision(current.revision),
            |revision| (!removes || marks).then(|| draft.at(revision)),
        );
        match result {
            Ok(stored) if marks => {
                let marked = write::announce(core, served, Some(&old), &stored).await?;
                // Another request may have removed it meanwhile.
                write::remove(core, served, key);
                return Ok(Deleted::Removed(marked));
            }
            Ok(_) if removes => {
                core.notify(served, &Change::Removed(&current));
                return Ok(Deleted::Removed(last_state(old)));
            }
            Ok(stored) => {
                let marked = write::announce(core, served, Some(&old), &stored).await?;
                return Ok(Deleted::Marked(marked));
            }
            Err(CommitError::Changed) => {}
            Err(_) => return Err(ApiError::not_found(&gr, &key.name)),
        }
    }
    Err(ApiError::modified(&gr, &key.name))
}

/// Calls the admission webhooks.
async fn admit(
    core: &Arc<Core>,
    served: &Served,
    key: &Key,
    options: &DeleteOptions,
    by: &Requester,
    old: &Value,
) -> Result<(), ApiError> {
    let admission = Admission {
        core,
        by,
        served,
        subresource: None,
        kind: None,
        operation: "DELETE",
        namespace: &key.namespace,
        name: &key.name,
        options: options.shown(),
        dry_run: options.dry_run,
    };
    admission.admit(None, Some(old)).await
}

/// Returns the last state of a removed object for the response: an object that was being deleted
/// has no grace period left.
fn last_state(mut object: Value) -> Value {
    if remaining_grace(&object) > 0 {
        object::set_meta(&mut object, "deletionGracePeriodSeconds", Some(json!(0)));
    }
    object
}

fn check_preconditions(
    served: &Served,
    current: &Stored,
    options: &DeleteOptions,
) -> Result<(), ApiError> {
    let (kind, name) = (&served.resource.kind, &current.key.name);
    let fail = |why: String| {
        let group = &served.resource.group;
        Err(ApiError::conflict(
            &GroupResource::new(group, kind),
            name,
            &why,
        ))
    };
    if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != &*current.uid) {
        return fail(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been deleted and then recreated",
            current.uid
        ));
    }
    let revision = current.revision.to_string();
    if let Some(wanted) = options
        .resource_version
        .as_deref()
        .filter(|v| *v != revision)
    {
        return fail(format!(
            "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({revision}). The object might have been modified"
        ));
    }
    Ok(())
}

/// Returns an object marked for deletion: with the finalizers for its propagation policy and the
/// time of deletion.
fn mark(core: &Core, served: &Served, old: &Value, options: &DeleteOptions) -> Value {
    let strategy = served.resource.strategy;
    let mut new = old.clone();
    strategy.begin_deletion(core, &mut new);
    let mut finalizers: Vec<String> = object::finalizers(&new)
        .into_iter()
        .map(str::to_owned)
        .collect();
    let before = finalizers.clone();
    let has_dependents =
        core.options.garbage_collector != Controllers::Off && strategy.propagates(old);
    let wanted = options.propagation.unwrap_or_else(|| {
        let has = |name: &str| finalizers.iter().any(|f| f == name);
        if has("orphan") {
            Propagation::Orphan
        } else if has("foregroundDeletion") {
            Propagation::Foreground
        } else if strategy.orphans() {
            Propagation::Orphan
        } else {
            Propagation::Background
        }
    });
    if has_dependents {
        finalizers.retain(|f| f != "orphan" && f != "foregroundDeletion");
        match wanted {
            Propagation::Orphan => finalizers.push("orphan".to_owned()),
            Propagation::Foreground => finalizers.push("foregroundDeletion".to_owned()),
            Propagation::Background => {}
        }
    }
    if finalizers != before {
        object::set_finalizers(&mut new, &finalizers);
    }
    let grace = strategy.grace_period(old, options.grace_period);
    let stays = !finalizers.is_empty()
        || grace > 0
        || write::is_held(core, served, old)
        || object::is_deleting(old);
    if stays || strategy.marks_before_removal() {
        mark_time(core, served, &mut new, grace);
    }
    strategy.mark_deleted(&mut new);
    new
}

/// Sets the time of deletion; a repeated deletion can only shorten the grace period.
fn mark_time(core: &Core, served: &Served, new: &mut Value, grace: i64) {
    let deleting = object::is_deleting(new);
    if deleting && remaining_grace(new) <= grace {
        return;
    }
    let start = match object::text(new, &["metadata", "deletionTimestamp"]).parse::<Timestamp>() {
        Ok(end) if deleting => end
            .checked_sub(SignedDuration::from_secs(remaining_grace(new)))
            .unwrap_or_else(|_| core.now()),
        _ => core.now(),
    };
    // Timestamps end with the year 9999, but a grace period may extend beyond it.
    let end = start
        .checked_add(SignedDuration::from_secs(grace))
        .unwrap_or(Timestamp::MAX);
    object::set_meta(new, "deletionTimestamp", Some(json!(rfc3339(end))));
    if !served.resource.strategy.records_grace() {
        return;
    }
    object::set_meta(new, "deletionGracePeriodSeconds", Some(json!(grace)));
    // Also of kinds whose updates never count.
    let generation = object::generation(new);
    if generation > 0 && !deleting {
        object::set_meta(new, "generation", Some(json!(generation + 1)));
    }
}

fn remaining_grace(object: &Value) -> i64 {
    if !object::is_deleting(object) {
        return 0;
    }
    object["metadata"]["deletionGracePeriodSeconds"]
        .as_i64()
        .unwrap_or_default()
}
