//! The places of errors in `apiextensions.k8s.io/v1`.

/// Where the internal type holds something, and where `apiextensions.k8s.io/v1` does. What versions
/// share stands in the first one.
const MOVED: [(&str, &str); 6] = [
    ("spec.validation.", "spec.versions[0].schema."),
    ("spec.subresources.", "spec.versions[0].subresources."),
    (
        "spec.additionalPrinterColumns",
        "spec.versions[0].additionalPrinterColumns",
    ),
    ("spec.selectableFields", "spec.versions[0].selectableFields"),
    (
        "spec.conversion.webhookClientConfig",
        "spec.conversion.webhook.clientConfig",
    ),
    (
        "spec.conversion.conversionReviewVersions",
        "spec.conversion.webhook.conversionReviewVersions",
    ),
];

/// Returns the path in `apiextensions.k8s.io/v1` of an error's field, which names a place in the
/// internal type.
#[must_use]
pub fn v1_path(field: &str) -> String {
    let moved = MOVED.iter().find_map(|(internal, v1)| {
        let rest = field.strip_prefix(internal)?;
        Some(format!("{v1}{rest}"))
    });
    let path = moved.unwrap_or_else(|| field.to_owned());
    match path.strip_suffix(".JSONPath") {
        Some(column) => format!("{column}.jsonPath"),
        None => path,
    }
}
