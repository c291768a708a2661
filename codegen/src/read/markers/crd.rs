//! Markers of controller-gen that shape a CRD, its RBAC rules and its webhooks.

use super::{
    MarkerDef,
    Target::{Field, Package, Type},
    ValueKind::{Bool, Choice, Int, String, Strings},
    flag, optional, repeated, required, value, with,
};

pub(super) const MARKERS: &[MarkerDef] = &[
    with(
        flag(
            "kubebuilder:resource",
            "+kubebuilder:resource:[path=<plural>][,singular=<name>][,shortName=<name>;…][,categories=<name>;…][,scope=Namespaced|Cluster]",
            &[Type],
            "The resource's names, categories and scope.",
            "plural and singular from the kind, namespaced",
        ),
        &[
            optional("path", String, "the plural"),
            optional("singular", String, "the singular"),
            optional("shortName", Strings, "short names for kubectl"),
            optional("categories", Strings, "categories such as `all`"),
            optional(
                "scope",
                Choice(&["Namespaced", "Cluster"]),
                "where objects live",
            ),
        ],
    ),
    flag(
        "kubebuilder:subresource:status",
        "+kubebuilder:subresource:status",
        &[Type],
        "`/status` is a subresource of its own.",
        "it is for a type with a status field and a client, unless `genclient:noStatus` stands there",
    ),
    with(
        flag(
            "kubebuilder:subresource:scale",
            "+kubebuilder:subresource:scale:specpath=<path>,statuspath=<path>[,selectorpath=<path>]",
            &[Type],
            "`/scale` is a subresource, so that `kubectl scale` and autoscalers work.",
            "no scale subresource",
        ),
        &[
            required("specpath", String, "JSON path of the wanted replicas"),
            required("statuspath", String, "JSON path of the actual replicas"),
            optional(
                "selectorpath",
                String,
                "JSON path of the label selector, as text",
            ),
        ],
    ),
    repeated(with(
        flag(
            "kubebuilder:printcolumn",
            "+kubebuilder:printcolumn:name=<heading>,type=<type>,JSONPath=<path>[,description=<text>][,format=<format>][,priority=<n>]",
            &[Type],
            "A column of `kubectl get`.",
            "name and age",
        ),
        &[
            required("name", String, "the heading"),
            required(
                "type",
                Choice(&["string", "integer", "number", "boolean", "date"]),
                "the type of the value",
            ),
            required("JSONPath", String, "where the value stands"),
            optional("description", String, "what the column shows"),
            optional("format", String, "the format of the type, such as int32"),
            optional(
                "priority",
                Int,
                "0 for the standard view, above 0 for -o wide",
            ),
        ],
    )),
    repeated(with(
        flag(
            "kubebuilder:selectablefield",
            "+kubebuilder:selectablefield:JSONPath=<path>",
            &[Type],
            "A field that field selectors may name.",
            "metadata.name and metadata.namespace only",
        ),
        &[required("JSONPath", String, "the field")],
    )),
    flag(
        "kubebuilder:storageversion",
        "+kubebuilder:storageversion",
        &[Type],
        "This version is the one stored in etcd.",
        "the most stable version",
    ),
    flag(
        "kubebuilder:unservedversion",
        "+kubebuilder:unservedversion",
        &[Type],
        "The API server does not serve this version; it gets no client.",
        "served",
    ),
    flag(
        "kubebuilder:skipversion",
        "+kubebuilder:skipversion",
        &[Type],
        "The version is left out of the CRD; it gets no client.",
        "part of the CRD",
    ),
    flag(
        "kubebuilder:skip",
        "+kubebuilder:skip",
        &[Package, Type],
        "The type, or the whole package, is no part of the API.",
        "part of the API",
    ),
    with(
        flag(
            "kubebuilder:deprecatedversion",
            "+kubebuilder:deprecatedversion[:warning=<text>]",
            &[Type],
            "The API server warns those who use this version.",
            "not deprecated",
        ),
        &[optional("warning", String, "the warning")],
    ),
    repeated(with(
        flag(
            "kubebuilder:metadata",
            "+kubebuilder:metadata:[annotations=<key=value>;…][,labels=<key=value>;…]",
            &[Type],
            "Annotations and labels of the CRD itself.",
            "none",
        ),
        &[
            optional("annotations", Strings, "annotations"),
            optional("labels", Strings, "labels"),
        ],
    )),
    with(
        flag(
            "kubebuilder:externalDocs",
            "+kubebuilder:externalDocs:url=<url>[,description=<text>]",
            &[Type, Field],
            "Documentation elsewhere.",
            "none",
        ),
        &[
            required("url", String, "where it stands"),
            optional("description", String, "what it is"),
        ],
    ),
    flag(
        "kubebuilder:skip:description",
        "+kubebuilder:skip:description",
        &[Field],
        "The field's description is left out of the schema.",
        "the field's documentation",
    ),
    repeated(with(
        flag(
            "kubebuilder:rbac",
            "+kubebuilder:rbac:[groups=<group>;…],[resources=<resource>;…],verbs=<verb>;…[,resourceNames=<name>;…][,urls=<url>;…][,namespace=<name>][,roleName=<name>]",
            &[Package],
            "A rule that the controller's role needs; it may stand in any file.",
            "none",
        ),
        &[
            optional(
                "groups",
                Strings,
                "API groups; `\"\"` or `core` is the core group",
            ),
            optional(
                "resources",
                Strings,
                "resources, with `/` before a subresource",
            ),
            optional("resourceNames", Strings, "names of single objects"),
            required("verbs", Strings, "verbs"),
            optional("urls", Strings, "URLs that are no resources"),
            optional("namespace", String, "makes it a Role of that namespace"),
            optional("roleName", String, "a role of another name"),
        ],
    )),
    repeated(with(
        flag(
            "kubebuilder:webhook",
            "+kubebuilder:webhook:path=<path>,mutating=<bool>,failurePolicy=<policy>,sideEffects=<class>,groups=<group>;…,resources=<resource>;…,verbs=<verb>;…,versions=<version>;…,name=<name>,admissionReviewVersions=<version>;…",
            &[Package],
            "An admission webhook; it may stand in any file.",
            "none",
        ),
        &[
            required("mutating", Bool, "whether it may change objects"),
            required(
                "failurePolicy",
                Choice(&["fail", "ignore", "Fail", "Ignore"]),
                "what holds when it cannot be reached",
            ),
            optional(
                "matchPolicy",
                Choice(&["Exact", "Equivalent", "exact", "equivalent"]),
                "whether other versions of a resource match",
            ),
            optional(
                "sideEffects",
                Choice(&["None", "NoneOnDryRun", "Some", "Unknown"]),
                "what a call changes besides the answer",
            ),
            optional("timeoutSeconds", Int, "from 1 to 30"),
            required("groups", Strings, "API groups"),
            required("resources", Strings, "resources"),
            required("verbs", Strings, "create, update, delete, connect or *"),
            required("versions", Strings, "API versions"),
            required("name", String, "a DNS name of three labels or more"),
            optional("serviceName", String, "the service that serves it"),
            optional("serviceNamespace", String, "the namespace of the service"),
            optional("servicePort", Int, "the port of the service"),
            optional("path", String, "the path on which it is served"),
            optional("url", String, "a URL in place of service and path"),
            optional(
                "webhookVersions",
                Strings,
                "versions of the configuration itself",
            ),
            required(
                "admissionReviewVersions",
                Strings,
                "versions of the review that it takes",
            ),
            optional(
                "reinvocationPolicy",
                Choice(&["Never", "IfNeeded"]),
                "whether it may be called again",
            ),
        ],
    )),
    repeated(with(
        flag(
            "kubebuilder:webhookconfiguration",
            "+kubebuilder:webhookconfiguration:mutating=<bool>[,name=<name>]",
            &[Package],
            "The name of the configuration that holds the mutating or the validating webhooks.",
            "controller-gen's names",
        ),
        &[
            required("mutating", Bool, "which of the two configurations"),
            optional("name", String, "its name"),
        ],
    )),
    with(
        flag(
            "kubebuilder:title",
            "+kubebuilder:title=<text>",
            &[Type, Field],
            "The title in the schema.",
            "none",
        ),
        &[value(String)],
    ),
];
