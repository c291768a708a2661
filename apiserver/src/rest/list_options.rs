//! The parameters of list, watch and collection delete requests.

use kube_names::shard::{Field as ShardField, Selector as ShardSelector};
use serde_json::{Value, json};

use super::{Call, shard_selector};
use crate::core::Options;
use crate::field::{FieldError, FieldErrorKind};
use crate::http::query::Query;
use crate::metadata::object;
use crate::registry::{Selectable, Served, label_not_supported};
use crate::selector::{FieldSelector, LabelSelector};
use crate::status::ApiError;
use crate::store::Stored;

/// How a resourceVersion constrains a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    NotOlderThan,
    Exact,
}

/// The objects that a request selects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
    pub(crate) namespace: String,
    /// The hash ranges that the request selects.
    pub(crate) shards: Option<ShardSelector>,
}

/// The parsed parameters.
#[derive(Clone, Debug)]
pub(crate) struct ListOptions {
    pub(crate) filter: Filter,
    pub(crate) limit: Option<usize>,
    pub(crate) continue_token: Option<String>,
    /// `None` for the most recent state, 0 for any state.
    pub(crate) revision: Option<u64>,
    pub(crate) version_match: Option<Match>,
    pub(crate) bookmarks: bool,
    pub(crate) initial_events: Option<bool>,
    pub(crate) timeout_seconds: Option<u64>,
}

/// The verb that the parameters belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    List,
    Watch,
}

impl ListOptions {
    /// Parses the parameters of a list or watch.
    ///
    /// # Errors
    /// 400 for malformed values, 422 for contradictory ones, 500 for an invalid shard selector.
    pub(crate) fn parse(server: &Options, call: &Call, verb: Verb) -> Result<Self, ApiError> {
        let query = &call.query;
        check(call, verb)?;
        let limit = query.integer("limit")?.unwrap_or_default();
        let version = query.text("resourceVersion");
        Ok(Self {
            filter: Filter::parse(server, call)?,
            limit: usize::try_from(limit).ok().filter(|n| *n > 0),
            continue_token: query
                .get("continue")
                .filter(|t| !t.is_empty())
                .map(str::to_owned),
            revision: if version.is_empty() {
                None
            } else {
                Some(parse_list_revision(version, verb)?)
            },
            version_match: match query.text("resourceVersionMatch") {
                "Exact" => Some(Match::Exact),
                "NotOlderThan" => Some(Match::NotOlderThan),
                _ => None,
            },
            bookmarks: query.flag("allowWatchBookmarks"),
            initial_events: initial_events(query, verb),
            timeout_seconds: query
                .integer("timeoutSeconds")?
                .and_then(|s| u64::try_from(s).ok())
                .filter(|s| *s > 0),
        })
    }
}

/// Whether a watch starts with the current state and, if it has bookmarks, with one that marks the
/// end of that state. By default, a watch from no version or from 0 does (`SetListOptionsDefaults`
/// in `k8s.io/apimachinery`).
fn initial_events(query: &Query, verb: Verb) -> Option<bool> {
    let from_any = matches!(query.text("resourceVersion"), "" | "0");
    let unsaid = verb == Verb::Watch && query.text("resourceVersionMatch").is_empty();
    query
        .maybe_flag("sendInitialEvents")
        .or_else(|| (unsaid && from_any).then_some(true))
}

/// Parses a resourceVersion; lists and watches return different errors if it is not a number.
fn parse_list_revision(text: &str, verb: Verb) -> Result<u64, ApiError> {
    text.parse().map_err(|_| {
        let syntax = format!("resourceVersion: Invalid value: \"{text}\": strconv.ParseUint: parsing \"{text}\": invalid syntax");
        if verb == Verb::Watch {
            ApiError::new(500, "", syntax)
        } else {
            ApiError::bad_request(format!("invalid resource version: {syntax}"))
        }
    })
}

/// Applies the rules of `ValidateListOptions` in `k8s.io/apimachinery`.
fn check(call: &Call, verb: Verb) -> Result<(), ApiError> {
    let query = &call.query;
    let errors = match verb {
        Verb::Watch => check_watch(query),
        _ => check_list(query),
    };
    if !errors.is_empty() {
        return Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", &errors));
    }
    let continues = verb == Verb::List && !query.text("continue").is_empty();
    if continues && !matches!(query.text("resourceVersion"), "" | "0") {
        return Err(ApiError::bad_request(
            "specifying resource version is not allowed when using continue",
        ));
    }
    Ok(())
}

fn check_watch(query: &Query) -> Vec<FieldError> {
    let version_match = query.text("resourceVersionMatch");
    let initial = query.maybe_flag("sendInitialEvents");
    // By default, such a watch matches NotOlderThan.
    let matches_version =
        !version_match.is_empty() || initial_events(query, Verb::Watch) != initial;
    let mut errors = Vec::new();
    if initial.is_some() && version_match != "NotOlderThan" {
        errors.push(forbidden(
            "resourceVersionMatch",
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ));
    }
    if initial.is_none() && !version_match.is_empty() {
        errors.push(forbidden(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ));
    }
    if !matches!(version_match, "" | "NotOlderThan") {
        errors.push(unsupported(version_match, "\"NotOlderThan\""));
    }
    if matches_version && !query.text("continue").is_empty() {
        errors.push(continued());
    }
    errors
}

fn check_list(query: &Query) -> Vec<FieldError> {
    let (version, version_match) = (
        query.text("resourceVersion"),
        query.text("resourceVersionMatch"),
    );
    let mut errors = Vec::new();
    if query.maybe_flag("sendInitialEvents").is_some() {
        errors.push(forbidden(
            "sendInitialEvents",
            "sendInitialEvents is forbidden for list",
        ));
    }
    if !version_match.is_empty() {
        if version.is_empty() {
            errors.push(forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            ));
        }
        if !query.text("continue").is_empty() {
            errors.push(continued());
        }
        if !matches!(version_match, "Exact" | "NotOlderThan") {
            errors.push(unsupported(
                version_match,
                "\"Exact\", \"NotOlderThan\", \"\"",
            ));
        }
        if version_match == "Exact" && version == "0" {
            errors.push(forbidden(
                "resourceVersionMatch",
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ));
        }
    }
    errors
}

fn continued() -> FieldError {
    forbidden(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden when continue is provided",
    )
}

fn forbidden(field: &str, detail: &str) -> FieldError {
    FieldError::new(field, FieldErrorKind::Forbidden, detail)
}

fn unsupported(value: &str, supported: &str) -> FieldError {
    FieldError::with_value(
        "resourceVersionMatch",
        FieldErrorKind::NotSupported,
        json!(value),
        format!("supported values: {supported}"),
    )
}

impl Filter {
    fn parse(server: &Options, call: &Call) -> Result<Self, ApiError> {
        let query = &call.query;
        let labels = LabelSelector::parse(query.text("labelSelector"))?;
        let mut fields = FieldSelector::parse(query.text("fieldSelector"))?;
        for term in &fields.0 {
            let known = term.field == "metadata.name"
                || (term.field == "metadata.namespace" && selects_namespace(&call.served))
                || selectable(&call.served, &term.field).is_some();
            if !known {
                return Err(ApiError::bad_request(unknown_field(
                    &call.served,
                    &term.field,
                )));
            }
        }
        // The path of a deprecated watch may end with the name of its only object.
        if !call.name.is_empty() {
            fields.require("metadata.name", &call.name);
        }
        Ok(Self {
            labels,
            fields,
            namespace: call.namespace.clone(),
            shards: match server.sharded_lists {
                true => shard_selector::parse(query)?,
                false => None,
            },
        })
    }

    /// Whether the request reads an object before it decides: all of them but for selectors that
    /// name a key or namespace.
    pub(crate) fn reads(&self, object: &Stored) -> bool {
        (self.namespace.is_empty() || *self.namespace == *object.key.namespace)
            && self.fields.0.iter().all(|term| {
                let found = key_field(object, &term.field);
                !term.equal || found.is_none_or(|found| found == term.value)
            })
    }

    /// Whether an object is in the selected hash ranges. The hashed fields never change, so it
    /// stays there.
    fn is_in_shard(&self, object: &Stored) -> bool {
        self.shards.as_ref().is_none_or(|shards| {
            shards.matches(match shards.field {
                ShardField::Uid => &object.uid,
                ShardField::Namespace => &object.key.namespace,
            })
        })
    }

    /// Whether an object matches.
    pub(crate) fn matches(&self, served: &Served, object: &Stored) -> bool {
        let mut decoded = None;
        self.may_match(object)
            && self.fields.0.iter().all(|term| {
                if key_field(object, &term.field).is_some() {
                    return true;
                }
                let decoded = decoded.get_or_insert_with(|| served.decode(object));
                (field_text(served, decoded, &term.field) == term.value) == term.equal
            })
    }

    /// Whether an object may match in any version, judging by its key and its stored labels alone.
    pub(crate) fn may_match(&self, object: &Stored) -> bool {
        (self.namespace.is_empty() || *self.namespace == *object.key.namespace)
            && (self.labels.is_empty() || self.labels.matches(&object.labels))
            && self.is_in_shard(object)
            && self.fields.0.iter().all(|term| {
                let found = key_field(object, &term.field);
                found.is_none_or(|found| (found == term.value) == term.equal)
            })
    }
}

/// Whether field selectors may name the namespace. Those of most cluster-scoped built-in kinds may,
/// too.
fn selects_namespace(served: &Served) -> bool {
    let resource = &served.resource;
    resource.namespaced || (!resource.is_custom() && resource.strategy.selects_namespace())
}

/// Returns the part of an object's key that a field selector names, if it names one.
fn key_field<'a>(object: &'a Stored, field: &str) -> Option<&'a str> {
    match field {
        "metadata.name" => Some(&object.key.name),
        "metadata.namespace" => Some(&object.key.namespace),
        _ => None,
    }
}

/// Returns the message for a field selector on a field that is not selectable.
fn unknown_field(served: &Served, field: &str) -> String {
    let resource = &served.resource;
    if resource.is_custom() {
        label_not_supported(field)
    } else {
        resource.strategy.unknown_field(&resource.kind, field)
    }
}

fn selectable<'a>(served: &'a Served, label: &str) -> Option<&'a Selectable> {
    let fields = &served.version().selectable;
    fields.iter().find(|field| field.label == label)
}

/// Returns the value of a selectable field, in the form that selectors compare.
fn field_text(served: &Served, object: &Value, label: &str) -> String {
    let Some(field) = selectable(served, label) else {
        return String::new();
    };
    let keys: Vec<&str> = field.path.split('.').collect();
    match object::at(object, &keys) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => field.absent.to_owned(),
        Some(other) => other.to_string(),
    }
}
