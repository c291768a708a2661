//! Webhooks: handlers on the embedded API server, the router with arbitrary requests, and the TLS
//! server.

mod conversions;
mod example;
mod handlers;
mod large;
mod losses;
mod old_schemas;
mod router;
mod server;
mod shutdown;
mod unknown_fields;

use codegen_runtime::k8s_openapi::api::core::v1::ConfigMap;
use codegen_runtime::kube::api::ObjectMeta;
use codegen_runtime::webhook::{
    AdmissionRequest, FieldError, Refusal, Validator, Warnings, Webhooks,
};

/// Creates a config map with one entry of data.
fn map(name: &str, key: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        data: Some([(key.to_owned(), value.to_owned())].into()),
        ..ConfigMap::default()
    }
}

fn value<'m>(map: &'m ConfigMap, key: &str) -> Option<&'m str> {
    Some(map.data.as_ref()?.get(key)?.as_str())
}

/// Sets `data.color` if it is absent.
fn color(map: &mut ConfigMap, _: &AdmissionRequest) -> Result<(), Refusal> {
    let data = map.data.get_or_insert_default();
    data.entry("color".to_owned())
        .or_insert_with(|| "blue".to_owned());
    Ok(())
}

/// Requires a color other than red that does not change; keeps locked maps from deletion.
struct Colors;

impl Validator<ConfigMap> for Colors {
    async fn create(
        &self,
        new: &ConfigMap,
        request: &AdmissionRequest,
        warnings: &mut Warnings,
    ) -> Result<(), Refusal> {
        if value(new, "panic").is_some() {
            panic!("as asked by {}", request.name);
        }
        if value(new, "color") == Some("green") {
            warnings.add("green will go");
        }
        let mut errors = Vec::new();
        if value(new, "color") == Some("red") {
            errors.push(FieldError::unsupported(
                "data.color",
                "red",
                &["blue", "green"],
            ));
        }
        if value(new, "size").is_some_and(|size| size.parse::<u32>().is_err()) {
            errors.push(FieldError::invalid(
                "data.size",
                value(new, "size"),
                "must be a number",
            ));
        }
        Refusal::unless_valid(errors)
    }

    async fn update(
        &self,
        old: &ConfigMap,
        new: &ConfigMap,
        _: &AdmissionRequest,
        _: &mut Warnings,
    ) -> Result<(), Refusal> {
        if value(old, "color") == value(new, "color") {
            return Ok(());
        }
        Err(FieldError::forbidden("data.color", "cannot be changed").into())
    }

    async fn delete(
        &self,
        old: &ConfigMap,
        _: &AdmissionRequest,
        _: &mut Warnings,
    ) -> Result<(), Refusal> {
        match value(old, "locked") {
            Some(_) => Err(Refusal::forbidden("it is locked")),
            None => Ok(()),
        }
    }
}

fn webhooks() -> Webhooks {
    Webhooks::builder()
        .defaulter(color)
        .validator::<ConfigMap>(Colors)
        .build()
}
