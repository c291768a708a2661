//! Markers of client-gen and of the listers and informers that go with it.

use super::{
    At,
    Requires::Client,
    define::{Words, markers, words},
};
use crate::model::Verb;

words! {
    Verb: Choice {
        "create" => Self::Create,
        "update" => Self::Update,
        "delete" => Self::Delete,
        "get" => Self::Get,
        "list" => Self::List,
        "watch" => Self::Watch,
        "patch" => Self::Patch,
        "apply" => Self::Apply,
    }
}

markers! { MARKERS;
    /// The type is a resource: it gets a typed client, a lister and an informer.
    GenClient = "genclient", on [Type] { default: "no client" };

    /// Objects are cluster-scoped.
    NonNamespaced = "genclient:nonNamespaced", on [Type] {
        default: "namespaced",
        requires: Client,
        in_kube_attribute: true,
    };

    /// Without a status subresource, the client has neither update_status nor patch_status.
    NoStatus = "genclient:noStatus", on [Type] {
        default: "the client has them if the type has a status field",
        requires: Client,
    };

    /// The client has no verbs, only the methods that `genclient:method` adds.
    NoVerbs = "genclient:noVerbs", on [Type] { default: "all verbs", requires: Client };

    /// The client has get, list and watch only.
    ReadOnly = "genclient:readonly", on [Type] { default: "all verbs", requires: Client };

    /// The client has these verbs only: create, update, updateStatus, delete, deleteCollection,
    /// get, list, watch, patch, apply, applyStatus.
    OnlyVerbs = "genclient:onlyVerbs", on [Type] { default: "all verbs", requires: Client } (
        /// The verbs.
        verbs: At<Words> = "" as "verb",
    );

    /// The client lacks these verbs.
    SkipVerbs = "genclient:skipVerbs", on [Type] { default: "all verbs", requires: Client } (
        /// The verbs.
        verbs: At<Words> = "" as "verb",
    );

    /// The client has a further method, such as one for a subresource.
    Method = "genclient:method", on [Type] {
        default: "the verbs only",
        repeats: true,
        requires: Client,
    } (
        /// the method's name, in camel case
        name: String = "" as "Name",
        /// the verb of its request
        verb: Verb = "verb" as "verb",
        /// the subresource that it addresses; none means the object itself
        subresource: Option<At<String>> = "subresource" as "name",
        /// the type that it sends: a type of the version, a Rust path, or a Go path such as
        /// k8s.io/api/autoscaling/v1.Scale
        input: Option<At<String>> = "input" as "type",
        /// the type that it returns, written like the input
        result: Option<At<String>> = "result" as "type",
    );

    /// The plural under which the API server serves the kind.
    ResourceName = "resourceName", on [Type] {
        default: "the plural of the kind in lower case",
        requires: Client,
        in_kube_attribute: true,
    } (
        /// the plural
        plural: At<String> = "" as "plural",
    );
}
