//! The scale subresource.

use std::sync::Arc;

use serde_json::{Value, json};

use super::admission::{Admission, Kind};
use super::conversion::prepare;
use super::options::WriteOptions;
use super::patch::{PatchType, check_options, patch_type};
use super::present::shown;
use super::write::{self, Persisted};
use super::{Call, scale_intake, update};
use crate::apply::{self, Writer};
use crate::core::Core;
use crate::field::{FieldError, FieldErrorKind};
use crate::http::respond::{Answer, Content};
use crate::metadata::object::{self, text};
use crate::metadata::rules;
use crate::registry::{ScalePaths, Subresource};
use crate::status::ApiError;
use crate::store::Stored;
use crate::table::{Column, Layout, Printer, cells, col, columns, num};

fn keys(path: &str) -> Vec<&str> {
    path.split('.').filter(|k| !k.is_empty()).collect()
}

fn paths(call: &Call) -> Result<&ScalePaths, ApiError> {
    call.served
        .version()
        .scale
        .as_ref()
        .ok_or_else(ApiError::no_such_resource)
}

/// Returns the scale of an object.
fn scale_of(call: &Call, object: &Value) -> Result<Value, ApiError> {
    let paths = paths(call)?;
    let number = |path: &str| {
        object::at(object, &keys(path))
            .and_then(Value::as_i64)
            .unwrap_or_default()
    };
    let mut metadata = json!({"name": call.name});
    for field in ["namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object["metadata"].get(field) {
            metadata[field] = value.clone();
        }
    }
    let mut status = json!({"replicas": number(&paths.status_replicas)});
    let selector = match &paths.label_selector {
        Some(path) => match object::at(object, &keys(path)) {
            Some(Value::String(text)) => text.clone(),
            Some(map @ Value::Object(_)) => selector_text(map),
            _ => String::new(),
        },
        None if !call.served.resource.is_custom() => selector_text(&object["spec"]["selector"]),
        None => String::new(),
    };
    if !selector.is_empty() {
        status["selector"] = json!(selector);
    }
    let mut spec = json!({});
    // Go omits a count of zero.
    if number(&paths.spec_replicas) != 0 {
        spec["replicas"] = json!(number(&paths.spec_replicas));
    }
    Ok(
        json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}),
    )
}

fn selector_text(selector: &Value) -> String {
    let labels = selector.get("matchLabels").unwrap_or(selector);
    let mut terms: Vec<String> = labels
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "matchExpressions")
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    for expression in selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let key = text(expression, &["key"]);
        let values: Vec<&str> = expression["values"]
            .as_array()
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let values = values.join(",");
        terms.push(match text(expression, &["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    terms.join(",")
}

fn answer(call: &Call, scale: Value) -> Result<Answer, ApiError> {
    let columns = columns();
    let layout = match call.served.resource.is_custom() {
        true => Layout::Columns(&columns),
        false => Layout::Printer(PRINTER),
    };
    let document = shown(call, layout, &scale)?;
    Ok(Answer::new(
        200,
        Content::Document(document, call.accepted.format),
    ))
}

/// The printer of the scales of built-in kinds.
static PRINTER: &Printer = columns! { |scale|
    col("Name").unformatted() => cells::name(scale),
    num("Desired") => cells::number(scale, &["spec", "replicas"]),
    num("Available") => cells::number(scale, &["status", "replicas"]),
    col("Age") => cells::age(scale),
};

/// The columns of the scales of custom resources.
fn columns() -> [Column; 3] {
    [
        Column::path("Desired", "integer", ".spec.replicas")
            .described("Number of desired replicas"),
        Column::path("Available", "integer", ".status.replicas")
            .described("Number of actual replicas"),
        Column::path("Age", "date", ".metadata.creationTimestamp"),
    ]
}

/// Handles GET of a scale.
pub(crate) async fn get(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let stored = core
        .find(&call.served, &call.key())
        .ok_or_else(|| call.not_found())?;
    prepare(core, &call.served, [&stored]).await?;
    let object = call.served.decode(&stored);
    let path = &paths(call)?.spec_replicas;
    if call.served.resource.is_custom() && object::at(&object, &keys(path)).is_none() {
        let why = format!("the spec replicas field \"{path}\" does not exist");
        return Err(ApiError::internal(why));
    }
    answer(call, scale_of(call, &object)?)
}

/// Handles PUT of a scale.
pub(crate) async fn update(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let options = WriteOptions::parse("UpdateOptions", &call.query, &call.user_agent)?;
    let scale = scale_intake::put(call, options.validation)?;
    for _ in 0..write::TRIES {
        let stored = core
            .find(&call.served, &call.key())
            .ok_or_else(|| call.not_found())?;
        update::check_uid(call, &stored, &scale)?;
        prepare(core, &call.served, [&stored]).await?;
        if let Some(done) = store_scale(core, call, &stored, &scale, &options, None).await? {
            return Ok(done);
        }
    }
    Err(ApiError::modified(&call.group_resource(), &call.name))
}

/// Handles PATCH of a scale.
pub(crate) async fn patch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let kind = patch_type(call)?;
    let options = WriteOptions::parse("PatchOptions", &call.query, &call.user_agent)?;
    check_options(call, kind)?;
    for _ in 0..write::TRIES {
        let stored = core
            .find(&call.served, &call.key())
            .ok_or_else(|| call.not_found())?;
        prepare(core, &call.served, [&stored]).await?;
        let object = call.served.decode(&stored);
        let scale = if kind == PatchType::Apply {
            let is_owned = apply::has_owner(&object, &paths(call)?.spec_replicas);
            let scale_writer = Writer {
                schema: None,
                ..writer(core, call, &options, "autoscaling/v1")
            };
            scale_intake::applied(call, &options, &scale_writer, is_owned)?
        } else {
            let old = scale_of(call, &object)?;
            let scale = scale_intake::patched(call, kind, &old, options.validation)?;
            based_on(&scale)?;
            check_absent_replicas(call, &object, &scale)?;
            scale
        };
        scale_intake::check_patched_uid(call, object::uid(&object), &scale)?;
        let apply = (kind == PatchType::Apply).then_some(options.force);
        if let Some(done) = store_scale(core, call, &stored, &scale, &options, apply).await? {
            return Ok(done);
        }
    }
    Err(ApiError::modified(&call.group_resource(), &call.name))
}

/// Writes the replicas of a scale to its object; returns `None` if another write came first.
/// `apply` is `force` of an apply.
async fn store_scale(
    core: &Arc<Core>,
    call: &Call,
    current: &Arc<Stored>,
    scale: &Value,
    options: &WriteOptions,
    apply: Option<bool>,
) -> Result<Option<Answer>, ApiError> {
    if based_on(scale)?.is_some_and(|revision| revision != current.revision) {
        return Err(ApiError::modified(&call.group_resource(), &call.name));
    }
    let admission = Admission {
        core,
        by: &call.requester,
        served: &call.served,
        subresource: Some(Subresource::Scale),
        kind: Some(Kind::new("autoscaling", "v1", "Scale")),
        operation: "UPDATE",
        namespace: &call.namespace,
        name: &call.name,
        options: options.shown_as("UpdateOptions"),
        dry_run: options.dry_run,
    };
    let served = &call.served;
    let old = served.decode(current);
    let old_scale = scale_of(call, &old)?;
    let mut scale = scale.clone();
    admission.mutate(Some(&mut scale), Some(&old_scale)).await?;
    let replicas = replicas(call, &scale)?;
    let mut new = old.clone();
    let path = &paths(call)?.spec_replicas;
    set_path(&mut new, &keys(path), json!(replicas));
    let new = match apply {
        Some(force) => {
            let applied = apply_scale(core, call, &old, (path, replicas), options, force)?;
            if served.resource.is_custom() {
                let name = format!("{}/{}", object::namespace(&scale), object::name(&scale));
                let what = "failed to convert new object";
                return Err(scale_intake::inconvertible(what, &name));
            }
            applied
        }
        None => update::merge_scale(core, served, &old, new, options)?,
    };
    admission.validate(Some(&scale), Some(&old_scale)).await?;
    match write::replace(core, served, (current, &old), new, options.dry_run).await? {
        Persisted::Written(written) | Persisted::Removed(written) => {
            answer(call, scale_of(call, &written)?).map(Some)
        }
        Persisted::Raced => Ok(None),
    }
}

/// Returns the revision that a scale is based on, if it names one.
fn based_on(scale: &Value) -> Result<Option<u64>, ApiError> {
    let given = Some(object::resource_version(scale)).filter(|it| !matches!(*it, "" | "0"));
    given.map(update::parse_revision).transpose()
}

/// Checks that a patch gives a custom resource without replicas some: none count as absent.
fn check_absent_replicas(call: &Call, object: &Value, scale: &Value) -> Result<(), ApiError> {
    let path = &paths(call)?.spec_replicas;
    let is_absent = object::at(object, &keys(path)).is_none();
    if !is_absent || replicas(call, scale)? != 0 || !call.served.resource.is_custom() {
        return Ok(());
    }
    let why = format!("the spec replicas field \"{path}\" cannot be empty");
    Err(ApiError::bad_request(why))
}

/// Reads the replicas of a scale.
fn replicas(call: &Call, scale: &Value) -> Result<i64, ApiError> {
    let replicas = match &scale["spec"]["replicas"] {
        Value::Null => 0,
        number => number.as_i64().ok_or_else(|| {
            ApiError::bad_request(
                "json: cannot unmarshal into Go struct field ScaleSpec.spec.replicas of type int32",
            )
        })?,
    };
    // A custom resource is validated as a whole later on.
    if replicas < 0 && !call.served.resource.is_custom() {
        let error = FieldError::with_value(
            "spec.replicas",
            FieldErrorKind::Invalid,
            json!(replicas),
            "must be greater than or equal to 0",
        );
        return Err(ApiError::invalid(
            "autoscaling",
            "Scale",
            &call.name,
            &[error],
        ));
    }
    Ok(replicas)
}

fn writer<'a>(
    core: &Core,
    call: &'a Call,
    options: &'a WriteOptions,
    api_version: &'a str,
) -> Writer<'a> {
    Writer {
        manager: &options.manager,
        subresource: Subresource::Scale.name(),
        api_version,
        reset: update::reset_fields(&call.served, None),
        schema: call.served.version().schema.as_ref(),
        now: core.now(),
    }
}

fn apply_scale(
    core: &Core,
    call: &Call,
    old: &Value,
    (path, replicas): (&str, i64),
    options: &WriteOptions,
    force: bool,
) -> Result<Value, ApiError> {
    let served = &call.served;
    let api_version = served.api_version();
    let mut wanted = json!({"apiVersion": api_version, "kind": served.resource.kind,
        "metadata": {"name": call.name}});
    if served.resource.namespaced {
        wanted["metadata"]["namespace"] = json!(call.namespace);
    }
    set_path(&mut wanted, &keys(path), json!(replicas));
    let writer = writer(core, call, options, &api_version);
    let mut new =
        apply::apply(&writer, Some(old), &wanted, force).map_err(super::apply::apply_error)?;
    apply::settle_replicas(&mut new, path, "");
    rules::prepare_update(old, &mut new);
    let (rules, has_status) = (&served.resource.rules, served.version().status);
    rules::bump_generation(rules, has_status, old, &mut new);
    Ok(new)
}

fn set_path(object: &mut Value, keys: &[&str], value: Value) {
    match keys {
        [] => {}
        [last] => {
            object::fields(object).insert((*last).to_owned(), value);
        }
        [first, rest @ ..] => {
            let inner = object::fields(object)
                .entry(*first)
                .or_insert_with(|| json!({}));
            set_path(inner, rest, value);
        }
    }
}
