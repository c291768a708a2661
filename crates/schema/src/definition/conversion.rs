//! Checks the conversion of a definition.

use serde_json::Value;

use super::text;
use crate::field::FieldError;

/// Checks `spec.conversion`: a webhook conversion needs a client config and the supported review
/// versions.
pub(super) fn check_conversion(crd: &Value, errors: &mut Vec<FieldError>) {
    const PATH: &str = "spec.conversion";
    let conversion = &crd["spec"]["conversion"];
    let (client, reviews) = (
        &conversion["webhook"]["clientConfig"],
        &conversion["webhook"]["conversionReviewVersions"],
    );
    let client_path = format!("{PATH}.webhookClientConfig");
    let reviews_path = format!("{PATH}.conversionReviewVersions");
    let has_reviews = reviews.as_array().is_some_and(|list| !list.is_empty());
    match text(conversion, &["strategy"]) {
        "Webhook" => {
            check_client(&client_path, client, errors);
            if !has_reviews {
                errors.push(FieldError::required(reviews_path, ""));
            } else if !["v1", "v1beta1"]
                .iter()
                .any(|known| has_item(reviews, known))
            {
                let detail = "must include at least one of v1, v1beta1";
                errors.push(FieldError::invalid(reviews_path, reviews.clone(), detail));
            }
        }
        "None" => {
            let detail = "should not be set when strategy is not set to Webhook";
            if !client.is_null() {
                errors.push(FieldError::forbidden(client_path, detail));
            }
            if has_reviews {
                errors.push(FieldError::forbidden(reviews_path, detail));
            }
        }
        other => errors.push(FieldError::unsupported(
            format!("{PATH}.strategy"),
            other,
            &["None", "Webhook"],
        )),
    }
}

fn has_item(list: &Value, item: &str) -> bool {
    list.as_array()
        .is_some_and(|list| list.iter().any(|v| v == item))
}

fn check_client(path: &str, client: &Value, errors: &mut Vec<FieldError>) {
    if client.is_null() {
        let detail = "required when strategy is set to Webhook";
        errors.push(FieldError::required(path, detail));
        return;
    }
    let (url, service) = (&client["url"], &client["service"]);
    if url.is_null() == service.is_null() {
        let detail = "exactly one of url or service is required";
        errors.push(FieldError::required(path, detail));
        return;
    }
    if let Some(scheme) = url
        .as_str()
        .map(|url| url.split(':').next().unwrap_or_default())
        && scheme != "https"
    {
        let detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
        errors.push(FieldError::invalid(format!("{path}.url"), scheme, detail));
    }
    if service.is_null() {
        return;
    }
    for field in ["name", "namespace"] {
        if text(service, &[field]).is_empty() {
            errors.push(FieldError::required(format!("{path}.service.{field}"), ""));
        }
    }
}
