//! Markers of client-gen and of the listers, informers and registration that go with it.

use super::{
    MarkerDef,
    Target::{Package, Type},
    ValueKind::{Choice, String, Words},
    flag, optional, repeated, required, value, with,
};

/// The verbs of a custom method; client-gen has no code for the others.
const METHOD_VERBS: &[&str] = &[
    "create", "update", "delete", "get", "list", "watch", "patch", "apply",
];

pub(super) const MARKERS: &[MarkerDef] = &[
    flag(
        "genclient",
        "+genclient",
        &[Type],
        "The type is a resource: it gets a typed client, a lister and an informer.",
        "no client",
    ),
    flag(
        "genclient:nonNamespaced",
        "+genclient:nonNamespaced",
        &[Type],
        "Objects live in the cluster, not in namespaces.",
        "namespaced",
    ),
    flag(
        "genclient:noStatus",
        "+genclient:noStatus",
        &[Type],
        "There is no status: the client has no update_status and no patch_status.",
        "the type has a status field, and the client its verbs",
    ),
    flag(
        "genclient:noVerbs",
        "+genclient:noVerbs",
        &[Type],
        "The client has no verbs, only the methods that `genclient:method` adds.",
        "all verbs",
    ),
    flag(
        "genclient:readonly",
        "+genclient:readonly",
        &[Type],
        "The client has get, list and watch only.",
        "all verbs",
    ),
    with(
        flag(
            "genclient:onlyVerbs",
            "+genclient:onlyVerbs=<verb>,…",
            &[Type],
            "The client has these verbs only: create, update, updateStatus, delete, deleteCollection, get, list, watch, patch, apply, applyStatus.",
            "all verbs",
        ),
        &[value(Words)],
    ),
    with(
        flag(
            "genclient:skipVerbs",
            "+genclient:skipVerbs=<verb>,…",
            &[Type],
            "The client lacks these verbs.",
            "all verbs",
        ),
        &[value(Words)],
    ),
    repeated(with(
        flag(
            "genclient:method",
            "+genclient:method=<Name>,verb=<verb>[,subresource=<name>][,input=<type>][,result=<type>]",
            &[Type],
            "The client has a further method, such as one for a subresource.",
            "the verbs only",
        ),
        &[
            required("", String, "the method's name, in camel case"),
            required("verb", Choice(METHOD_VERBS), "what the method does"),
            optional(
                "subresource",
                String,
                "the subresource it addresses; none means the object itself",
            ),
            optional(
                "input",
                String,
                "the type it sends: a type of the version, a Rust path, or a Go path such as k8s.io/api/autoscaling/v1.Scale",
            ),
            optional(
                "result",
                String,
                "the type it returns, written like the input",
            ),
        ],
    )),
    with(
        flag(
            "resourceName",
            "+resourceName=<plural>",
            &[Type],
            "The plural under which the API server serves the kind.",
            "the plural of the kind in lower case",
        ),
        &[value(String)],
    ),
    with(
        flag(
            "groupName",
            "+groupName=<dns name>",
            &[Package],
            "The API group of the version.",
            "the name of the group's folder",
        ),
        &[value(String)],
    ),
    with(
        flag(
            "groupGoName",
            "+groupGoName=<Name>",
            &[Package],
            "The group's name in the names of types, in camel case.",
            "the first label of the group",
        ),
        &[value(String)],
    ),
    with(
        flag(
            "versionName",
            "+versionName=<version>",
            &[Package],
            "The version's name.",
            "the name of the version's folder",
        ),
        &[value(String)],
    ),
];
