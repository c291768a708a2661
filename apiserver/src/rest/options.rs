//! The options of writes: dry run, field manager, field validation, deletion.

use serde_json::{Value, json};

use crate::field::{FieldError, FieldErrorKind};
use crate::http::negotiate;
use crate::http::query::Query;
use crate::metadata::object::{at, text};
use crate::metadata::rules::Origin;
use crate::status::ApiError;
use crate::types::normal::{go_kind, type_fault};

/// The treatment of unknown and duplicate fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

/// The options of all writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    pub(crate) manager: String,
    pub(crate) validation: FieldValidation,
    pub(crate) force: bool,
    /// Whether the write is an apply, which has settled the ownership of fields itself.
    pub(crate) applied: bool,
    /// What creates the object, if it is new.
    pub(crate) origin: Origin,
    /// The options as passed to webhooks.
    pub(crate) shown: Value,
}

fn unsupported(field: &str, value: impl Into<Value>, supported: &str) -> FieldError {
    FieldError::with_value(
        field,
        FieldErrorKind::NotSupported,
        value.into(),
        format!("supported values: {supported}"),
    )
}

/// Parses the `dryRun` values.
fn dry_run(values: &[&str], errors: &mut Vec<FieldError>) -> bool {
    if values.iter().any(|v| *v != "All") {
        errors.push(unsupported("dryRun", serde_json::json!(values), "\"All\""));
    }
    !values.is_empty()
}

impl WriteOptions {
    /// Parses the options of a write; `kind` is `CreateOptions`, `UpdateOptions` or `PatchOptions`.
    ///
    /// # Errors
    /// 422 with kube-apiserver's messages.
    pub(crate) fn parse(kind: &str, query: &Query, user_agent: &str) -> Result<Self, ApiError> {
        let mut errors = Vec::new();
        let dry_run = dry_run(&query.all("dryRun"), &mut errors);
        let given = query.text("fieldManager");
        if given.len() > 128 {
            errors.push(FieldError::new(
                "fieldManager",
                FieldErrorKind::TooLong,
                "may not be more than 128 bytes",
            ));
        }
        let validation = match query.text("fieldValidation") {
            "" | "Warn" => FieldValidation::Warn,
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            other => {
                errors.push(unsupported(
                    "fieldValidation",
                    other,
                    "\"\", \"Ignore\", \"Strict\", \"Warn\"",
                ));
                FieldValidation::Warn
            }
        };
        if !errors.is_empty() {
            return Err(ApiError::invalid("meta.k8s.io", kind, "", &errors));
        }
        Ok(Self {
            dry_run,
            manager: manager_name(given, user_agent),
            validation,
            force: query.flag("force"),
            applied: false,
            origin: Origin::Create,
            shown: shown(kind, query, dry_run),
        })
    }
}

impl WriteOptions {
    /// Returns the options as an object of the specified kind: an update or patch may create its
    /// object.
    pub(crate) fn shown_as(&self, kind: &str) -> Value {
        let mut shown = self.shown.clone();
        if !shown.is_object() {
            shown = json!({"apiVersion": "meta.k8s.io/v1"});
        }
        shown["kind"] = json!(kind);
        shown
    }
}

/// Returns the options of a write as an object.
fn shown(kind: &str, query: &Query, dry_run: bool) -> Value {
    let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
    for field in ["fieldManager", "fieldValidation"] {
        match query.text(field) {
            "" => {}
            given => options[field] = json!(given),
        }
    }
    if query.flag("force") {
        options["force"] = json!(true);
    }
    if dry_run {
        options["dryRun"] = json!(["All"]);
    }
    options
}

/// Returns the field manager: the specified one, or the user agent up to its first slash.
fn manager_name(given: &str, user_agent: &str) -> String {
    if !given.is_empty() {
        return given.to_owned();
    }
    let prefix = user_agent.split('/').next().unwrap_or_default();
    let prefix: String = prefix
        .chars()
        .filter(|c| !c.is_control())
        .take(128)
        .collect();
    if prefix.is_empty() {
        "unknown".to_owned()
    } else {
        prefix
    }
}

/// How a deletion treats the dependents of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    Background,
    Foreground,
    Orphan,
}

/// The options of a deletion.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) dry_run: bool,
    pub(crate) grace_period: Option<i64>,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
    /// Whether the deprecated `orphanDependents` is false: only then, a deletion that has to wait
    /// is answered with 202.
    pub(crate) not_orphaning: bool,
}

impl DeleteOptions {
    /// Returns the options as an object, as passed to webhooks.
    pub(crate) fn shown(&self) -> Value {
        let mut options = json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"});
        if let Some(seconds) = self.grace_period {
            options["gracePeriodSeconds"] = json!(seconds);
        }
        if let Some(policy) = self.propagation {
            options["propagationPolicy"] = json!(format!("{policy:?}"));
        }
        for (field, value) in [
            ("uid", &self.uid),
            ("resourceVersion", &self.resource_version),
        ] {
            if let Some(value) = value {
                options["preconditions"][field] = json!(value);
            }
        }
        if self.dry_run {
            options["dryRun"] = json!(["All"]);
        }
        options
    }

    /// Parses the options of a deletion from the body or, without a body, from the query.
    ///
    /// # Errors
    /// 400 for a body other than DeleteOptions, 422 for contradictory or unknown values.
    pub(crate) fn parse(
        query: &Query,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Self, ApiError> {
        let mut errors = Vec::new();
        let (mut options, policy, orphan) = if body.is_empty() {
            let options = Self {
                dry_run: dry_run(&query.all("dryRun"), &mut errors),
                grace_period: query.integer("gracePeriodSeconds")?,
                ..Self::default()
            };
            let policy = query.get("propagationPolicy").map(str::to_owned);
            (options, policy, query.maybe_flag("orphanDependents"))
        } else {
            let mut parsed = Self::read_body(content_type, body, &mut errors)?;
            parsed.0.dry_run |= dry_run(&query.all("dryRun"), &mut errors);
            parsed
        };
        if policy.is_some() && orphan.is_some() {
            errors.push(FieldError::with_value(
                "propagationPolicy",
                FieldErrorKind::Invalid,
                Value::String(policy.clone().unwrap_or_default()),
                "orphanDependents and deletionPropagation cannot be both set",
            ));
        }
        options.not_orphaning = orphan == Some(false);
        options.propagation = match (policy.as_deref(), orphan) {
            (Some("Background"), _) => Some(Propagation::Background),
            (Some("Foreground"), _) => Some(Propagation::Foreground),
            (Some("Orphan"), _) | (None, Some(true)) => Some(Propagation::Orphan),
            (None, Some(false)) => Some(Propagation::Background),
            (None, None) => None,
            (Some(other), _) => {
                let supported = "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
                errors.push(unsupported("propagationPolicy", other, supported));
                None
            }
        };
        if errors.is_empty() {
            Ok(options)
        } else {
            Err(ApiError::invalid(
                "meta.k8s.io",
                "DeleteOptions",
                "",
                &errors,
            ))
        }
    }

    fn read_body(
        content_type: Option<&str>,
        body: &[u8],
        errors: &mut Vec<FieldError>,
    ) -> Result<(Self, Option<String>, Option<bool>), ApiError> {
        let encoding = negotiate::body_encoding(content_type, false)?;
        let value = crate::http::decode::decode(body, encoding)
            .map_err(|why| {
                ApiError::bad_request(format!(
                    "couldn't get version/kind; json parse error: {why}"
                ))
            })?
            .value;
        if let Some(why) = type_fault(&value).filter(|_| !value.is_null()) {
            return Err(ApiError::bad_request(format!(
                "couldn't get version/kind; json parse error: {why}"
            )));
        }
        check_types(&value)?;
        let kind = text(&value, &["kind"]);
        if !(kind.is_empty() || kind == "DeleteOptions") {
            return Err(ApiError::bad_request(format!(
                "no kind \"{kind}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
                text(&value, &["apiVersion"])
            )));
        }
        let own = |value: &Value| value.as_str().map(str::to_owned);
        let runs: Vec<&str> = value["dryRun"]
            .as_array()
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let options = Self {
            dry_run: dry_run(&runs, errors),
            grace_period: value["gracePeriodSeconds"].as_i64(),
            propagation: None,
            uid: own(&value["preconditions"]["uid"]),
            resource_version: own(&value["preconditions"]["resourceVersion"]),
            not_orphaning: false,
        };
        Ok((
            options,
            own(&value["propagationPolicy"]),
            value["orphanDependents"].as_bool(),
        ))
    }
}

/// Whether a value has the type of an option.
type IsTyped = fn(&Value) -> bool;

/// The options of a deletion: the Go struct that has them, their path and their type in Go.
const DELETE_OPTIONS: &[(&str, &str, &str, IsTyped)] = &[
    (DELETE, "gracePeriodSeconds", "int64", Value::is_i64),
    (DELETE, "orphanDependents", "bool", Value::is_boolean),
    (
        DELETE,
        "propagationPolicy",
        "v1.DeletionPropagation",
        Value::is_string,
    ),
    (
        DELETE,
        "preconditions",
        "v1.Preconditions",
        Value::is_object,
    ),
    (
        "Preconditions",
        "preconditions.uid",
        "types.UID",
        Value::is_string,
    ),
    (
        "Preconditions",
        "preconditions.resourceVersion",
        "string",
        Value::is_string,
    ),
    (DELETE, "dryRun", "[]string", Value::is_array),
];

const DELETE: &str = "DeleteOptions";

/// Checks the types of a deletion's options: an option that is not understood must not be ignored.
///
/// # Errors
/// 400 for the first one of another type.
fn check_types(options: &Value) -> Result<(), ApiError> {
    for (owner, path, expected, is_typed) in DELETE_OPTIONS {
        let keys: Vec<&str> = path.split('.').collect();
        let Some(given) = at(options, &keys).filter(|given| !given.is_null()) else {
            continue;
        };
        let wrong = match given {
            Value::Array(items) if is_typed(given) => {
                let item = items.iter().find(|item| !item.is_string());
                item.map(|item| (item, "string"))
            }
            _ => (!is_typed(given)).then_some((given, *expected)),
        };
        let Some((wrong, expected)) = wrong else {
            continue;
        };
        let found = match wrong {
            Value::Number(number) if expected == "int64" => format!("number {number}"),
            _ => go_kind(wrong).to_owned(),
        };
        return Err(ApiError::bad_request(format!(
            "json: cannot unmarshal {found} into Go struct field {owner}.{path} of type {expected}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    #[test]
    fn the_manager_is_the_user_agent_up_to_its_slash() {
        let check = |given: &str, agent: &str, expected: &str| {
            let q = query(&format!("fieldManager={given}"));
            assert_eq!(
                WriteOptions::parse("CreateOptions", &q, agent)
                    .unwrap()
                    .manager,
                expected
            );
        };
        check("me", "kubectl/v1", "me");
        check("", "kubectl/v1", "kubectl");
        check("", "", "unknown");
    }

    #[test]
    fn unknown_option_values_are_invalid() {
        let error = WriteOptions::parse("CreateOptions", &query("dryRun=Some"), "").unwrap_err();
        assert_eq!(
            error.message,
            "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"Some\"]: supported values: \"All\""
        );
        let error = DeleteOptions::parse(&query("propagationPolicy=Never"), None, b"").unwrap_err();
        assert_eq!(error.code, 422);
    }

    #[test]
    fn delete_options_come_from_the_body_first() {
        let body =
            br#"{"propagationPolicy":"Orphan","gracePeriodSeconds":0,"preconditions":{"uid":"u"}}"#;
        let options = DeleteOptions::parse(&query("gracePeriodSeconds=9"), None, body).unwrap();
        assert_eq!(options.propagation, Some(Propagation::Orphan));
        assert_eq!(options.grace_period, Some(0));
        assert_eq!(options.uid.as_deref(), Some("u"));
    }
}
