"""Random steps: each is one request, determined by the seed and the number of the step, regardless of earlier responses."""

import copy
import json
import random

from objects import KINDS, VALUES, a_try, paths, put, random_object

NAMES = ["a", "b", "c"]
VERBS = {"create": 24, "get": 5, "list": 8, "update": 16, "merge": 8, "json": 6, "strategic": 6, "apply": 14, "delete": 6, "deletecollection": 1}
PATCHES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
LABEL_SELECTORS = ["tier=front", "tier in (front,back)", "tier notin (front)", "!tier", "tier!=front", "tier=front,app", "a=b=c", "tier in (", "", "x=é"]
FIELD_SELECTORS = ["metadata.name=a", "metadata.name!=a", "metadata.namespace=none", "spec.color=red", "status.phase=Pending", "spec.none=1", "a", "type=Opaque"]
ACCEPTS = ["application/json;as=Table;v=v1;g=meta.k8s.io", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/yaml;q=0.1,application/json"]


class Step:
    """One request. `live` tells what an update copies from the stored object."""

    def __init__(self, kind, verb, name, sub):
        self.kind, self.verb, self.name, self.sub = kind, verb, name, sub
        self.method, self.query, self.body, self.type, self.accept, self.live = "GET", [], None, None, "application/json", None
        # The changes to the stored object. If there is none, the valid object `first` is created before.
        self.changes, self.first = [], None

    @property
    def writes(self):
        return self.method != "GET" and not self.dry

    @property
    def dry(self):
        return ("dryRun", "All") in self.query or (self.verb == "delete" and self.body is not None and self.body.get("dryRun") == ["All"])

    @property
    def label(self):
        return self.verb + (f"/{self.sub}" if self.sub else "") + (" (dry run)" if self.dry else "")


def make_step(seed, number, run, only):
    r = random.Random(f"{seed}/{number}")
    chosen = [k for k in KINDS.values() if only in (None, k.name)]
    weights = [12 if k.name.startswith("Widget") else 8 if k.name == "CustomResourceDefinition" else 4 if k.name == "Gadget" else 1.5 for k in chosen]
    kind = r.choices(chosen, weights)[0]
    verb = r.choices(list(VERBS), list(VERBS.values()))[0]
    name = object_name(kind, r.choice(NAMES), run)
    sub = r.choice(kind.sub) if kind.sub and verb in ("get", "update", *PATCHES) and r.random() < 0.35 else None
    step = Step(kind, verb, name, sub)
    MAKERS.get(verb, make_patch)(r, step, run)
    if step.method != "GET":
        options(r, step)
    if verb not in ("create", "list", "deletecollection") and r.random() < (0.4 if verb == "apply" else 0.85):
        step.first = Step(kind, "create", name, None)
        step.first.method, step.first.body = "POST", body(r, step.first, run, 0)
    return step


def object_name(kind, name, run):
    if kind.name == "CustomResourceDefinition":
        return f"trieds.{name}{run}.fuzz.example.com"
    return f"fuzz-{name}-{run}" if kind.cluster else name


def body(r, step, run, spoil=0.5):
    if step.sub == "scale":
        made = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": step.name, "namespace": f"fuzz-{run}"}, "spec": {"replicas": r.choice([0, 1, 4])}}
        if r.random() < 0.3:
            put(made, *r.choice([("spec.replicas", -1), ("spec.replicas", "1"), ("spec", None), ("kind", "Other"), ("metadata.name", "other"), ("unknown", 1), ("status", {"replicas": 9})]))
        return made
    made = random_object(r, step.kind, run, step.name, spoil)
    # The group of a CRD is the last part of its name, so each name has its own group.
    return json.loads(json.dumps(made).replace("GROUP", step.name.partition(".")[2])) if step.kind.name == "CustomResourceDefinition" else made


def options(r, step):
    # The real server ignores the query of a DELETE with a body.
    if r.random() < 0.12 and not (step.method == "DELETE" and step.body):
        step.query.append(("dryRun", "All" if r.random() < 0.9 else "Some"))
    if step.verb != "delete" and step.verb != "deletecollection" and r.random() < 0.35:
        step.query.append(("fieldValidation", r.choice(["Strict", "Warn", "Ignore", "Strict", "Loud"])))
    if step.verb != "apply" and r.random() < 0.3:
        step.query.append(("fieldManager", r.choice(["one", "two", "x" * 129 if r.random() < 0.2 else "three"])))


def make_create(r, step, run):
    step.method, step.body = "POST", body(r, step, run)
    if r.random() < 0.05:
        step.body.setdefault("metadata", {})
        put(step.body, "metadata.resourceVersion", r.choice(["1", "x", "0"]))


def make_get(r, step, run):
    if r.random() < 0.3:
        step.accept = r.choice(ACCEPTS)


def make_list(r, step, run):
    step.name = None
    labels = f"fuzz={run}"
    if r.random() < 0.4:
        labels = ",".join(filter(None, [labels, r.choice(LABEL_SELECTORS)]))
    step.query.append(("labelSelector", labels))
    if r.random() < 0.3:
        step.query.append(("fieldSelector", r.choice(FIELD_SELECTORS)))
    if r.random() < 0.4:
        step.query.append(("limit", r.choice(["1", "2", "500", "-1", "x"])))
    if r.random() < 0.2:
        step.query += r.choice([[("resourceVersion", "0")], [("resourceVersion", "x")], [("resourceVersionMatch", "Exact")], [("resourceVersionMatch", "Later")], [("continue", "x")]])
    if r.random() < 0.3:
        step.accept = r.choice(ACCEPTS[:1]) if r.random() < 0.7 else "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


def make_update(r, step, run):
    step.method, step.body = "PUT", body(r, step, run)
    step.live = r.choices(["version", "none", "stale", "uid"], [60, 20, 10, 10])[0]
    if r.random() < 0.5 and step.sub != "scale":
        step.live, step.changes = "change", [a_try(r, step.kind, step.body) for _ in range(r.choice([1, 1, 2]))]


def make_patch(r, step, run):
    step.method, step.type = "PATCH", PATCHES[step.verb]
    if step.verb == "apply":
        step.body = body(r, step, run, 0.3)
        if r.random() < 0.2:
            step.body = trimmed(r, step.body)
        if r.random() < 0.95:
            step.query.append(("fieldManager", r.choice(["one", "two"])))
        if r.random() < 0.5:
            step.query.append(("force", r.choice(["true", "true", "false"])))
        return
    if step.verb == "json":
        step.body = [operation(r, body(r, step, run, 0.2)) for _ in range(r.randint(1, 3))]
        return
    made = body(r, step, run, 0.6)
    if r.random() < 0.7:
        made = trimmed(r, made)
    if r.random() < 0.2:
        put(made, r.choice(["metadata.resourceVersion", "metadata.uid"]), r.choice(["1", "x"]))
    step.body = made


def trimmed(r, made):
    """Returns part of an object, with some values set to null."""
    made = copy.deepcopy(made)
    for key in list(made.get("spec") or {} if isinstance(made.get("spec"), dict) else {}):
        if r.random() < 0.4:
            if r.random() < 0.3:
                made["spec"][key] = None
            else:
                del made["spec"][key]
    return made


def operation(r, made):
    pointers = ["/" + p.replace(".", "/") for p in paths(made)] + ["/metadata/labels/tier", "/metadata/annotations", "/spec/none", "/data/a", "/spec/-", "/metadata/name", ""]
    kind = r.choice(["add", "add", "replace", "replace", "remove", "test", "move", "copy", "fly"])
    pointer = r.choice(pointers)
    if kind in ("move", "copy"):
        return {"op": kind, "from": r.choice(pointers), "path": pointer}
    return {"op": kind, "path": pointer, **({} if kind == "remove" else {"value": copy.deepcopy(r.choice(["x", 1, *VALUES]))})}


def make_delete(r, step, run):
    step.method = "DELETE"
    if r.random() < 0.6:
        step.body = {"apiVersion": "v1", "kind": "DeleteOptions"}
        for path, value in r.sample(
            [
                ("propagationPolicy", r.choice(["Foreground", "Background", "Orphan", "X"])),
                ("gracePeriodSeconds", r.choice([0, 5, -1])),
                ("preconditions", r.choice([{"uid": "x"}, {"resourceVersion": "1"}, {}])),
                ("orphanDependents", r.choice([True, False])),
                ("dryRun", r.choice([["All"], ["Some"]])),
            ],
            r.choice([0, 1, 1, 2]),
        ):
            step.body[path] = value


def make_delete_collection(r, step, run):
    step.method, step.name = "DELETE", None
    step.query.append(("labelSelector", f"fuzz={run}" + r.choice(["", ",tier=front", ",tier=back"])))


MAKERS = {"create": make_create, "get": make_get, "list": make_list, "update": make_update, "delete": make_delete, "deletecollection": make_delete_collection}
