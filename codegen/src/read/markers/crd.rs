//! Markers of controller-gen that shape a CRD.

use super::{
    At,
    Requires::Object,
    define::{markers, words},
};
use crate::model::Scope;

words! {
    Scope: Choice { "Namespaced" => Self::Namespaced, "Cluster" => Self::Cluster }
    ColumnType: Choice {
        "string" => Self("string"),
        "integer" => Self("integer"),
        "number" => Self("number"),
        "boolean" => Self("boolean"),
        "date" => Self("date"),
    }
}

/// The type of a printer column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnType(pub &'static str);

markers! { MARKERS;
    /// The resource's names, categories and scope.
    Resource = "kubebuilder:resource", on [Type] {
        default: "plural and singular from the kind, namespaced",
        requires: Object,
        in_kube_attribute: true,
    } (
        /// the plural
        path: Option<At<String>> = "path" as "plural",
        /// the singular
        singular: Option<At<String>> = "singular" as "name",
        /// short names for kubectl
        short_names: Option<At<Vec<String>>> = "shortName" as "name",
        /// categories such as `all`
        categories: Option<At<Vec<String>>> = "categories" as "name",
        /// where objects live
        scope: Option<At<Scope>> = "scope" as "scope",
    );

    /// `/status` is a subresource.
    StatusSubresource = "kubebuilder:subresource:status", on [Type] {
        default: "a type with a status field and a client has one, unless `genclient:noStatus` is set",
        differs: "it never infers one from a status field",
        requires: Object,
        in_kube_attribute: true,
    };

    /// `/scale` is a subresource, so that `kubectl scale` and autoscalers work.
    ScaleSubresource = "kubebuilder:subresource:scale", on [Type] {
        default: "no scale subresource",
        requires: Object,
        in_kube_attribute: true,
    } (
        /// JSON path of the desired replicas
        spec_path: At<String> = "specpath" as "path",
        /// JSON path of the actual replicas
        status_path: At<String> = "statuspath" as "path",
        /// JSON path of the label selector, as a string
        selector_path: Option<At<String>> = "selectorpath" as "path",
    );

    /// A column of `kubectl get`.
    PrintColumn = "kubebuilder:printcolumn", on [Type] {
        default: "name and age",
        differs: "it writes `subresources: {}` next to columns even without a subresource",
        repeats: true,
        requires: Object,
        in_kube_attribute: true,
        only_in_crds: true,
    } (
        /// the heading
        name: String = "name" as "heading",
        /// the type of the value
        column_type: ColumnType = "type" as "type",
        /// JSON path of the value
        json_path: At<String> = "JSONPath" as "path",
        /// what the column shows
        description: Option<String> = "description" as "text",
        /// the format of the type, such as int32
        format: Option<String> = "format" as "format",
        /// 0 for the standard view, above 0 for -o wide
        priority: Option<i64> = "priority" as "n",
    );

    /// A field that field selectors may use.
    SelectableField = "kubebuilder:selectablefield", on [Type] {
        default: "metadata.name and metadata.namespace only",
        repeats: true,
        requires: Object,
        only_in_crds: true,
    } (
        /// JSON path of the field
        json_path: At<String> = "JSONPath" as "path",
    );

    /// This version is the one stored in etcd.
    StorageVersion = "kubebuilder:storageversion", on [Type] {
        default: "the most stable version",
        requires: Object,
        in_kube_attribute: true,
        only_in_crds: true,
    };

    /// The API server does not serve this version; it gets no client.
    UnservedVersion = "kubebuilder:unservedversion", on [Type] { default: "served", requires: Object };

    /// The version is left out of the CRD; it gets no client.
    SkipVersion = "kubebuilder:skipversion", on [Type] { default: "part of the CRD", requires: Object };

    /// The type, or the whole package, is not part of the API.
    Skip = "kubebuilder:skip", on [Package, Type] { default: "part of the API" };

    /// The API server warns clients that use this version.
    DeprecatedVersion = "kubebuilder:deprecatedversion", on [Type] {
        default: "not deprecated",
        requires: Object,
        only_in_crds: true,
    } (
        /// the warning
        warning: Option<String> = "warning" as "text",
    );

    /// A webhook converts objects between the versions of the kind.
    ConversionByWebhook = "kubebuilder:conversion:webhook", on [Type] {
        default: "only `apiVersion` changes",
        differs: "it has no such marker and never writes `spec.conversion`",
        requires: Object,
        only_in_crds: true,
    } (
        /// the path on which it is served; `/convert` by default
        path: Option<At<String>> = "path" as "path",
        /// a URL in place of service and path
        url: Option<At<String>> = "url" as "url",
        /// the service that serves it; `webhook-service` by default
        service_name: Option<At<String>> = "serviceName" as "name",
        /// the namespace of the service; `system` by default
        service_namespace: Option<At<String>> = "serviceNamespace" as "name",
        /// the port of the service; 443 by default
        service_port: Option<At<i64>> = "servicePort" as "n",
        /// supported versions of the review; `v1` by default
        review_versions: Option<At<Vec<String>>> = "reviewVersions" as "version",
    );

    /// Annotations and labels of the CRD itself.
    Metadata = "kubebuilder:metadata", on [Type] {
        default: "none",
        repeats: true,
        requires: Object,
        only_in_crds: true,
    } (
        /// annotations
        annotations: Option<At<Vec<String>>> = "annotations" as "key=value",
        /// labels
        labels: Option<At<Vec<String>>> = "labels" as "key=value",
    );
}
