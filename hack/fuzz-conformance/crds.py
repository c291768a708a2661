"""Custom resources: two kinds with rich schemas, and CustomResourceDefinition itself, with schemas to try."""

import copy

from objects import kind

GROUP = "fRUN.fuzz.example.com"


def text(**more):
    return {"type": "string", **more}


def obj(properties, **more):
    return {"type": "object", "properties": properties, **more}


def array(items, **more):
    return {"type": "array", "items": items, **more}


WIDGET_SPEC = obj(
    {
        "size": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
        "ratio": {"type": "number", "exclusiveMinimum": True, "minimum": 0},
        "color": text(enum=["red", "green", "blue"], default="red"),
        "code": text(pattern="^[a-z]{2,5}$", maxLength=5),
        "note": text(nullable=True),
        "when": text(format="date-time"),
        "day": text(format="date"),
        "secret": text(format="byte"),
        "address": text(format="ipv4"),
        "wait": text(format="duration"),
        "small": {"type": "integer", "format": "int32"},
        "steps": {"type": "integer", "multipleOf": 2},
        "port": {"x-kubernetes-int-or-string": True},
        "enabled": {"type": "boolean"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "tags": array(text(minLength=1), **{"x-kubernetes-list-type": "set", "maxItems": 4}),
        "words": array(text(), minItems=1),
        "parts": array(
            obj({"name": text(), "kind": text(default="main"), "count": {"type": "integer"}, "on": {"type": "boolean", "default": True}}, required=["name"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "kind"]},
        ),
        "table": {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 3},
        "whole": obj({"a": text(), "b": text()}, **{"x-kubernetes-map-type": "atomic"}),
        "deep": obj({"inner": obj({"level": {"type": "integer", "default": 7}, "list": array({"type": "integer"})}, default={})}),
        "either": obj({"x": text(), "y": text()}, oneOf=[{"required": ["x"]}, {"required": ["y"]}]),
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        "replicas": {"type": "integer"},
    },
    required=["color"],
)
WIDGET_STATUS = obj(
    {
        "replicas": {"type": "integer", "minimum": 0},
        "selector": text(),
        "conditions": array(
            obj({"type": text(), "status": text(enum=["True", "False", "Unknown"])}, required=["type", "status"]),
            **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
        ),
    }
)


def definition(run, singular, scope, versions, group=GROUP):
    group = group.replace("RUN", run)
    names = {"kind": singular.capitalize(), "plural": f"{singular}s", "singular": singular, "listKind": f"{singular.capitalize()}List"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{singular}s.{group}"},
        "spec": {"group": group, "names": names, "scope": scope, "versions": versions},
    }


def version(name, schema, storage=True, **more):
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}


def served(run):
    """Returns the CRDs of the kinds below."""
    widget = obj({"spec": WIDGET_SPEC, "status": WIDGET_STATUS})
    subresources = {
        "status": {},
        "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"},
    }
    columns = [
        {"name": "Color", "type": "string", "jsonPath": ".spec.color"},
        {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "priority": 1},
        {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    more = {"subresources": subresources, "additionalPrinterColumns": columns}
    older = copy.deepcopy(widget)
    older["properties"]["spec"]["properties"]["size"]["default"] = 4
    return [
        definition(run, "widget", "Namespaced", [version("v1", widget, selectableFields=[{"jsonPath": ".spec.color"}], **more), version("v1beta1", older, storage=False, deprecated=True, **more)]),
        definition(run, "gadget", "Cluster", [version("v1", {"type": "object", "x-kubernetes-preserve-unknown-fields": True})]),
    ]


CHOICES = {
    "size": [1, 10, 3], "ratio": [0.5, 1, 2.25], "code": ["ab", "abcde"], "note": [None, "text"], "when": ["2026-01-02T03:04:05Z"], "day": ["2026-01-02"],
    "secret": ["QQ=="], "address": ["10.0.0.1"], "wait": ["5s", "1h30m"], "small": [0, 2**31 - 1], "steps": [2, 4], "port": [80, "http"], "enabled": [True, False],
    "free": [{"a": {"b": [1, None]}}, {}], "tags": [["a", "b"], []], "words": [["x", "y"]], "table": [{"a": 1, "b": 2}, {}],
    "parts": [[{"name": "a", "count": 1}, {"name": "b", "kind": "side"}], [{"name": "a"}], []], "whole": [{"a": "1", "b": "2"}, {"a": "3"}],
    "deep": [{}, {"inner": {"list": [1, 2]}}], "either": [{"x": "1"}, {"y": "2"}], "replicas": [0, 2],
    "embedded": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "inner"}, "data": {"a": "b"}}],
}
WIDGET_TRIES = [
    ("spec.unknown", 1), ("spec.deep.inner.unknown", {"a": 1}), ("spec.parts", [{"name": "a"}, {"name": "a"}]), ("spec.parts", [{"kind": "x"}]),
    ("spec.parts", [{"name": "a", "other": 1}]), ("spec.tags", ["a", "a"]), ("spec.tags", ["a", "b", "c", "d", "e"]), ("spec.either", {"x": "1", "y": "2"}),
    ("spec.either", {}), ("spec.embedded", {"kind": "A"}), ("spec.embedded", {"apiVersion": "v1", "kind": "A", "metadata": {"name": "A_"}}), ("spec.color", None),
    ("spec.color", "pink"), ("spec.size", 11), ("spec.size", None), ("spec.table", {"a": "1"}), ("spec.table", {"a": 1, "b": 2, "c": 3, "d": 4}), ("spec", {}), ("spec", None),
    ("status", {"replicas": -1}), ("status", {"replicas": 3, "selector": "app=x"}), ("status", {"conditions": [{"type": "A", "status": "True"}, {"type": "A", "status": "True"}]}),
    ("status", {"conditions": [{"type": "A", "status": "True"}]}), ("spec.replicas", -1), ("spec.replicas", None), ("spec.note", None), ("spec.words", []), ("spec.words", None),
]


@kind("Widget", GROUP, "v1", "widgets", WIDGET_TRIES, sub=("status", "scale"), any_value=True)
def widget(r):
    spec = {"color": r.choice(["red", "green", "blue"])}
    for key in r.sample(sorted(CHOICES), r.randint(0, 6)):
        spec[key] = copy.deepcopy(r.choice(CHOICES[key]))
    return {"spec": spec}


@kind("WidgetBeta", GROUP, "v1beta1", "widgets", WIDGET_TRIES, sub=("status", "scale"), any_value=True, object_kind="Widget")
def widget_beta(r):
    return widget(r)


@kind("Gadget", GROUP, "v1", "gadgets", [("status", {"a": 1}), ("spec.replicas", 1)], cluster=True, any_value=True)
def gadget(r):
    return {"spec": {"a": r.choice([1, "x", [1, {"b": None}]]), "b": {"c": r.choice([True, 2.5])}}, "extra": [1, 2]}


V = "spec.versions.0."
S = V + "schema.openAPIV3Schema."
P = S + "properties.spec.properties."
DEFINITION_TRIES = [
    ("spec.scope", "Everywhere"), ("spec.scope", "Cluster"), ("spec.group", "other.example.com"), ("spec.names.plural", "A_"), ("spec.names.kind", "a b"), ("spec.names.listKind", "TryList"),
    ("spec.names.shortNames", ["t", "T"]), ("spec.names.categories", ["all"]), ("spec.names.singular", None), ("spec.versions", []), ("spec.conversion", {"strategy": "Webhook"}),
    ("spec.conversion", {"strategy": "X"}), ("spec.preserveUnknownFields", True), (V + "name", "V1"), (V + "storage", False), (V + "served", False), (V + "deprecationWarning", ""),
    (V + "deprecated", True), (V + "schema", None), (V + "selectableFields", [{"jsonPath": ".spec.none"}]), (V + "selectableFields", [{"jsonPath": ".spec.list"}]),
    (V + "selectableFields", [{"jsonPath": ".spec.a"}]), (V + "selectableFields", [{"jsonPath": ".spec.a"}, {"jsonPath": ".spec.a"}]), (V + "selectableFields", [{"jsonPath": "spec"}]),
    (V + "additionalPrinterColumns", [{"name": "A", "type": "integer", "format": "x", "jsonPath": ".spec.a"}]), (V + "additionalPrinterColumns", [{"name": "A", "type": "x", "jsonPath": ".a"}]),
    (V + "additionalPrinterColumns", [{"name": "A", "type": "string", "jsonPath": "a"}]), (V + "subresources", {"scale": {"specReplicasPath": ".spec.n"}}),
    (V + "subresources", {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}}), (V + "subresources", {"scale": {"specReplicasPath": "n", "statusReplicasPath": ".spec.n"}}),
    (S + "type", "string"), (S + "type", None), (P + "a.type", None), (P + "a.type", "text"), (P + "a.default", 7), (P + "a.default", "x"), (P + "a.enum", []), (P + "a.pattern", "("),
    (P + "a.format", "x"), (P + "a.nullable", True), (P + "a.maxLength", -1), (P + "a.uniqueItems", True), (P + "a.additionalProperties", True), (P + "list.items", None),
    (P + "list.uniqueItems", True), (P + "list.x-kubernetes-list-type", "map"), (P + "list.x-kubernetes-list-type", "set"), (P + "list.x-kubernetes-list-type", "x"),
    (P + "list.x-kubernetes-list-map-keys", ["a"]), (P + "map.properties", {"a": {"type": "string"}}), (P + "map.x-kubernetes-map-type", "set"), (P + "map.x-kubernetes-map-type", "atomic"),
    (P + "map.additionalProperties", False), (P + "a.x-kubernetes-int-or-string", True), (P + "a.x-kubernetes-preserve-unknown-fields", True), (P + "b.x-kubernetes-embedded-resource", True),
    (P + "n.minimum", 5), (P + "n.multipleOf", 0), (P + "n.default", 1.5), (P + "n.not", {"type": "integer"}), (P + "n.oneOf", [{"minimum": 1}]), (P + "n.$ref", "#/x"), (P + "n.id", "x"),
    (P + "n.description", "text"), (P + "n.example", 1), (P + "n.externalDocs", {"url": "http://example.com"}), (S + "properties.metadata", {"type": "object", "properties": {"name": {"type": "string"}}}),
    (S + "properties.metadata", {"type": "string"}), (S + "required", ["spec"]), (S + "properties.spec.required", ["none"]), (P + "a.unknown", 1), ("status", {"storedVersions": ["v9"]}),
    (V + "schema.openAPIV3Schema.x-kubernetes-preserve-unknown-fields", True), (V + "unknown", 1),
]


@kind("CustomResourceDefinition", "apiextensions.k8s.io", "v1", "customresourcedefinitions", DEFINITION_TRIES, cluster=True, sub=("status",))
def try_definition(r):
    spec = obj(
        {
            "a": text(**({"default": "x"} if r.random() < 0.3 else {})),
            "b": obj({}, **{"x-kubernetes-preserve-unknown-fields": True}),
            "n": {"type": "integer"},
            "list": array(r.choice([text(), obj({"a": text()}, required=["a"])])),
            "map": {"type": "object", "additionalProperties": text()},
        }
    )
    made = definition("RUN", "tried", "Namespaced", [version("v1", obj({"spec": spec}))], group="GROUP")
    if r.random() < 0.3:
        made["spec"]["versions"].append(version("v2", obj({"spec": copy.deepcopy(spec)}), storage=False))
    return made
