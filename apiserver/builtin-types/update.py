#!/usr/bin/env python3
"""Writes types.txt: the fields of the built-in kinds, read from the Go sources of Kubernetes.

usage: update.py MODULE_CACHE VERSION     e.g. update.py ~/go/pkg/mod/k8s.io v0.36.3

One line a type: its name (after ! if it is atomic), then a field each as NAME=NUMBER:FLAGTYPE[;OPTION…]. NUMBER is the protobuf
field number. TYPE is a scalar (string/NAME for a named string type of Go), another type's name, [] before an item type or {} before
a value type. FLAG says what Go writes for an empty value:
  o  nothing (a value with omitempty)      p  nothing (a pointer)      i  its fields, in place of its name (inline)
  s  an empty object (a struct)            r  the zero value (no omitempty)
OPTION says how server-side apply and strategic merge patches merge the field:
  keys=A,B  a list of objects with these keys     set  a list of unique scalars     atomic  a map or struct that is one value
  patch=KEY  patches merge by this key            patch  patches replace            default=JSON  the default of a key
A list without an option is atomic. Patches merge lists with keys by the first key, and sets, unless PATCH says otherwise.
"""
import os
import re
import sys

API = ["core/v1", "apps/v1", "batch/v1", "autoscaling/v1", "autoscaling/v2", "policy/v1", "networking/v1", "discovery/v1",
       "coordination/v1", "events/v1", "scheduling/v1", "storage/v1", "rbac/v1", "admissionregistration/v1", "certificates/v1",
       "node/v1", "authentication/v1", "authorization/v1"]
ROOTS = {
    "core.v1": "Namespace Pod Service ConfigMap Secret ServiceAccount Event Node PersistentVolume PersistentVolumeClaim "
               "Endpoints LimitRange ResourceQuota PodTemplate ReplicationController Binding",
    "apps.v1": "Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
    "batch.v1": "Job CronJob",
    "autoscaling.v1": "Scale HorizontalPodAutoscaler",
    "autoscaling.v2": "HorizontalPodAutoscaler",
    "policy.v1": "PodDisruptionBudget Eviction",
    "networking.v1": "Ingress IngressClass NetworkPolicy IPAddress ServiceCIDR",
    "discovery.v1": "EndpointSlice",
    "coordination.v1": "Lease",
    "events.v1": "Event",
    "scheduling.v1": "PriorityClass",
    "storage.v1": "StorageClass CSIDriver CSINode CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
    "rbac.v1": "Role RoleBinding ClusterRole ClusterRoleBinding",
    "admissionregistration.v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy "
                                "ValidatingAdmissionPolicyBinding",
    "certificates.v1": "CertificateSigningRequest",
    "node.v1": "RuntimeClass",
    "authentication.v1": "TokenRequest TokenReview SelfSubjectReview",
    "authorization.v1": "SelfSubjectAccessReview SubjectAccessReview LocalSubjectAccessReview SelfSubjectRulesReview",
    "apiregistration.v1": "APIService",
    "apiextensions.v1": "CustomResourceDefinition",
    "meta.v1": "DeleteOptions",
}
# Types whose JSON is not that of their fields.
OPAQUE = {"meta.v1.Time", "meta.v1.MicroTime", "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension",
          "meta.v1.FieldsV1", "meta.v1.Duration", "apiextensions.v1.JSON", "apiextensions.v1.JSONSchemaPropsOrArray",
          "apiextensions.v1.JSONSchemaPropsOrBool", "apiextensions.v1.JSONSchemaPropsOrStringArray",
          "authentication.v1.ExtraValue", "authorization.v1.ExtraValue", "certificates.v1.ExtraValue"}
# Of these, the structs, which Go writes even when they are empty and marked omitempty.
STRUCTS = {"meta.v1.Time", "meta.v1.MicroTime", "resource.Quantity", "intstr.IntOrString"}


def short(package):
    parts = package.strip(".").split(".")
    return ".".join(parts[-2:]) if re.fullmatch(r"v\d+\w*", parts[-1]) else parts[-1]


ATOMIC = set()
# Types that say their apiVersion and kind, which protobuf keeps elsewhere.
TYPED = set()


def markers(comment):
    """The +name=value markers of a comment; a name may occur more than once."""
    found = {}
    for name, value in re.findall(r"^\s*//\s*\+(\w+)=(\S+)\s*$", comment, re.M):
        found.setdefault(name, []).append(value)
    return found


def options(field, prefix, kind, tag, comment):
    """How a field is merged."""
    marks = markers(comment)
    patch = {name: value for name, value in re.findall(r'patch(Strategy|MergeKey):"([^"]*)"', tag)}
    merges = "merge" in patch.get("Strategy", "").split(",")
    keys = marks.get("listMapKey", [])
    out = []
    if prefix == "[]":
        kind_of_list = marks.get("listType", [""])[0]
        if kind_of_list == "map" or not kind_of_list and merges and "MergeKey" in patch:
            keys = keys or [patch["MergeKey"]]
            out.append("keys=" + ",".join(keys))
            if not merges:
                out.append("patch")
            elif patch.get("MergeKey") != keys[0]:
                out.append("patch=" + patch.get("MergeKey", ""))
        elif kind_of_list == "set" or not kind_of_list and merges:
            out.append("set")
            if not merges:
                out.append("patch")
        elif merges and "MergeKey" in patch:
            out.append("patch=" + patch["MergeKey"])
    elif marks.get("mapType", [""])[0] == "atomic" or marks.get("structType", [""])[0] == "atomic":
        out.append("atomic")
    elif patch.get("Strategy") == "replace":
        out.append("patch")
    if "default" in marks:
        out.append("default=" + marks["default"][0])
    return out


def read(folder, package, types):
    proto = open(os.path.join(folder, "generated.proto")).read()
    proto = re.sub(r"//[^\n]*", "", proto)
    tags = {}
    for name in os.listdir(folder):
        if not name.endswith(".go") or name.endswith("_test.go") or "generated" in name:
            continue
        source = open(os.path.join(folder, name)).read()
        for struct in re.finditer(r"^((?:^//[^\n]*\n|\n)*)type (\w+) struct \{\n(.*?)^\}", source, re.M | re.S):
            fields = tags.setdefault(struct.group(2), {})
            if re.search(r"^\t(metav1\.)?TypeMeta `", struct.group(3), re.M):
                TYPED.add(package + "." + struct.group(2))
            if "atomic" in markers(struct.group(1)).get("structType", []):
                ATOMIC.add(package + "." + struct.group(2))
            pattern = r"((?:^\t//[^\n]*\n)*)^\t(?:(\w+)\s+)?([\w.*\[\]]+)\s+`([^`]*)`"
            for comment, _, go_type, tag in re.findall(pattern, struct.group(3), re.M):
                number = re.search(r'protobuf:"\w+,(\d+),', tag)
                json_tag = re.search(r'json:"([^"]*)"', tag)
                if number and json_tag:
                    fields[int(number.group(1))] = (go_type, json_tag.group(1), tag, comment)
    for message in re.finditer(r"^message (\w+) \{\n(.*?)^\}", proto, re.M | re.S):
        fields = []
        for field in re.finditer(r"^\s*(optional|repeated|map<string,\s*([\w.]+)>)\s+([\w.]*)\s*(\w+) = (\d+);",
                                 message.group(2), re.M):
            label, value, kind, name, number = field.groups()
            kind = value or kind
            if "." in kind:
                head, tail = kind.rsplit(".", 1)
                kind = short(head) + "." + tail
            elif kind[0].isupper():
                kind = package + "." + kind
            prefix = "[]" if label == "repeated" else "{}" if label.startswith("map") else ""
            go_type, tag, whole, comment = tags.get(message.group(1), {}).get(int(number), ("", name + ",omitempty", "", ""))
            merge = options(name, prefix, kind, whole, comment)
            named = go_type.lstrip("*[]")
            if kind == "string" and re.fullmatch(r"(\w+\.)?[A-Z]\w*", named):
                kind += "/" + (named if "." in named else package.split(".")[-1] + "." + named)
            fields.append((name, int(number), prefix, kind, go_type, tag, merge))
        types[package + "." + message.group(1)] = fields


# The keys of the lists that hold each type.
KEYED = {}


def line(name, fields):
    out = ["!" + name if name in ATOMIC else name]
    if name in TYPED:
        out += ["apiVersion=0:ostring", "kind=0:ostring"]
    keys = {key for field in KEYED.get(name, []) for key in field}
    for proto_name, number, prefix, kind, go_type, tag, merge in fields:
        json_name, _, options = tag.partition(",")
        is_struct = "." in kind and "/" not in kind and not prefix and not go_type.startswith("*")
        if "inline" in options:
            flag = "i"
        elif go_type.startswith("*"):
            flag = "p"
        elif is_struct and kind not in OPAQUE and "omitzero" not in options:
            flag = "s"
        elif is_struct and kind in STRUCTS and "omitzero" not in options:
            flag = "r"
        elif "omitempty" in options or "omitzero" in options:
            flag = "o"
        else:
            flag = "r"
        field = json_name or proto_name
        # Only the defaults of keys matter, and a key of an integer that is always written has zero.
        merge = [option for option in merge if not option.startswith("default=") or field in keys]
        if field in keys and flag == "r" and kind.startswith("int") and not any(m.startswith("default=") for m in merge):
            merge.append("default=0")
        out.append(f"{field}={number}:{flag}{prefix}{';'.join([kind] + merge)}")
    return " ".join(out)


def main():
    cache, version = sys.argv[1:3]
    types = {}
    for folder in API:
        read(f"{cache}/api@{version}/{folder}", folder.replace("/", "."), types)
    meta = f"{cache}/apimachinery@{version}/pkg"
    read(f"{meta}/apis/meta/v1", "meta.v1", types)
    read(f"{cache}/kube-aggregator@{version}/pkg/apis/apiregistration/v1", "apiregistration.v1", types)
    read(f"{cache}/apiextensions-apiserver@{version}/pkg/apis/apiextensions/v1", "apiextensions.v1", types)
    wanted, queue = set(), [f"{group}.{kind}" for group, kinds in ROOTS.items() for kind in kinds.split()]
    while queue:
        name = queue.pop()
        if name in wanted or name in OPAQUE or name not in types:
            continue
        wanted.add(name)
        for field in types[name]:
            if "." in field[3] and "/" not in field[3]:
                queue.append(field[3])
            for option in field[6]:
                if option.startswith("keys="):
                    KEYED.setdefault(field[3], []).append(option[5:].split(","))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "types.txt"), "w") as out:
        out.write(f"# Made by update.py from k8s.io/api {version}; do not edit.\n")
        for name in sorted(wanted):
            out.write(line(name, types[name]) + "\n")


main()
