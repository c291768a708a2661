//! Maps Kubernetes' Go packages to modules of k8s-openapi, which are named after them.

use crate::model::{ExternalType, KnownType, TypeRef};

/// Prefixes of Go packages with the corresponding prefixes of modules in `k8s_openapi`.
const PREFIXES: [(&str, &str); 4] = [
    ("k8s.io/api/", "api/"),
    ("k8s.io/apimachinery/", "apimachinery/"),
    (
        "k8s.io/apiextensions-apiserver/",
        "apiextensions_apiserver/",
    ),
    ("k8s.io/kube-aggregator/", "kube_aggregator/"),
];

/// Whether the package belongs to Kubernetes' own API.
#[cfg(feature = "go")]
pub(crate) fn is_kubernetes(package: &str) -> bool {
    let mut prefixes = PREFIXES.iter();
    prefixes.any(|(prefix, _)| package.starts_with(prefix))
}

/// Returns the path of a Kubernetes type in k8s-openapi, whether or not k8s-openapi has the type.
pub(crate) fn rust_path(package: &str, name: &str) -> Option<Vec<String>> {
    let mut prefixes = PREFIXES.iter();
    let (module, rest) = prefixes.find_map(|(prefix, module)| {
        let rest = package.strip_prefix(prefix)?;
        Some((module, rest))
    })?;
    let path = format!("{module}{rest}").replace('-', "_");
    let segments = ["k8s_openapi"]
        .into_iter()
        .chain(path.split('/'))
        .chain([name]);
    Some(segments.map(str::to_owned).collect())
}

/// Returns the Go package for a module of k8s-openapi.
pub(crate) fn go_package(module: &str) -> Option<String> {
    let below = module.strip_prefix("k8s_openapi::")?.replace("::", "/");
    let mut prefixes = PREFIXES.iter();
    prefixes.find_map(|(prefix, module)| {
        let rest = below.strip_prefix(module)?;
        Some(format!("{prefix}{rest}"))
    })
}

/// Returns a reference to the type at a path.
pub(crate) fn at_path(path: Vec<String>) -> TypeRef {
    let below: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
    match KnownType::at(&below) {
        Some(known) if path.first().is_some_and(|name| name == "k8s_openapi") => {
            TypeRef::Known(known)
        }
        _ => TypeRef::External(ExternalType::new(path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(package: &str, name: &str, expected: &str) {
        let path = rust_path(package, name).expect("a package of Kubernetes");
        assert_eq!(path.join("::"), expected);
        let (module, _) = expected.rsplit_once("::").expect("a module");
        assert_eq!(go_package(module).as_deref(), Some(package));
    }

    #[test]
    fn types_have_the_path_of_their_package_and_lead_back_to_it() {
        rows![check:
            ("k8s.io/api/core/v1", "PodSpec", "k8s_openapi::api::core::v1::PodSpec"),
            ("k8s.io/apimachinery/pkg/apis/meta/v1", "LabelSelector",
                "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector"),
            ("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSONSchemaProps",
                "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps"),
            ("k8s.io/kube-aggregator/pkg/apis/apiregistration/v1", "APIService",
                "k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1::APIService"),
        ];
        assert!(rust_path("example.com/api/core/v1", "PodSpec").is_none());
        assert!(go_package("k8s_openapi").is_none());
    }
}
