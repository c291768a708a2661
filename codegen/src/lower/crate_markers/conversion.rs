//! The conversion between a kind's versions, from `+kubebuilder:conversion:webhook`.

use super::endpoint::{Endpoint, error, given};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{ApiSet, Conversion, ConversionWebhook, Resource},
    read::markers::{MarkerSet, crd::ConversionByWebhook},
};

/// The versions of `ConversionReview` that the API server sends.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// Returns the conversion that the markers on a version of a kind request.
pub(in crate::lower) fn conversion(
    markers: &MarkerSet,
    diagnostics: &mut Diagnostics,
) -> Conversion {
    let Some(marker) = markers.get::<ConversionByWebhook>() else {
        return Conversion::None;
    };
    if let (Some(url), Some(path)) = (given(marker.url.as_ref()), given(marker.path.as_ref())) {
        diagnostics.push(
            error(
                "a webhook needs either a path or a URL".to_owned(),
                &url.place,
                "a URL",
                "write `path=/…` for a service of the cluster, or `url=https://…`",
            )
            .at(path.place.clone(), "and a path"),
        );
    }
    let endpoint = Endpoint {
        path: marker.path.as_ref(),
        url: marker.url.as_ref(),
        service_name: marker.service_name.as_ref(),
        service_namespace: marker.service_namespace.as_ref(),
        service_port: marker.service_port.as_ref(),
    };
    endpoint.check(diagnostics);
    let mut endpoint = endpoint.lower();
    if let crate::model::WebhookEndpoint::Service { path, .. } = &mut endpoint {
        path.get_or_insert_with(|| "/convert".to_owned());
    }
    let versions = marker.review_versions.as_ref();
    if let Some(versions) = versions
        && !versions
            .value
            .iter()
            .any(|it| REVIEW_VERSIONS.contains(&it.as_str()))
    {
        diagnostics.push(error(
            "no supported version of `ConversionReview`".to_owned(),
            &versions.place,
            "without `v1` and `v1beta1`",
            "write `reviewVersions=v1`",
        ));
    }
    Conversion::Webhook(Box::new(ConversionWebhook {
        endpoint: Some(endpoint),
        ca_bundle: None,
        review_versions: versions.map_or_else(|| vec!["v1".to_owned()], |it| it.value.clone()),
    }))
}

/// Applies the conversion marked on one version to all versions of the kind; conflicting markers
/// are an error.
pub(super) fn settle(api: &mut ApiSet, diagnostics: &mut Diagnostics) {
    for group in &mut api.groups {
        let resources = || group.versions.iter().flat_map(|version| &version.resources);
        let marked = |one: &&Resource| one.conversion != Conversion::None;
        let mut settled: Vec<(String, Conversion)> = Vec::new();
        for resource in resources().filter(marked) {
            match settled.iter().find(|(kind, _)| *kind == resource.kind) {
                None => settled.push((resource.kind.clone(), resource.conversion.clone())),
                Some((_, first)) if *first == resource.conversion => {}
                Some((kind, _)) => diagnostics.push(
                    Diagnostic::error(format!(
                        "the versions of {kind} in {} have different conversions",
                        group.name
                    ))
                    .help("write `+kubebuilder:conversion:webhook` on only one version, such as the stored one"),
                ),
            }
        }
        for version in &mut group.versions {
            for resource in &mut version.resources {
                let of_kind = settled.iter().find(|(kind, _)| *kind == resource.kind);
                if let Some((_, conversion)) = of_kind {
                    resource.conversion = conversion.clone();
                }
            }
        }
    }
}
