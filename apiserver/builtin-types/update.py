#!/usr/bin/env python3
"""Writes types.txt: the fields of the built-in kinds, read from the Go sources of Kubernetes.

usage: update.py MODULE_CACHE VERSION     e.g. update.py ~/go/pkg/mod/k8s.io v0.36.3

One line a type: its name, then a field each as NAME=NUMBER:FLAGTYPE. NUMBER is the protobuf field number. TYPE is a scalar,
another type's name, [] before an item type or {} before a value type. FLAG says what Go writes for an empty value:
  o  nothing (a value with omitempty)      p  nothing (a pointer)      i  its fields, in place of its name (inline)
  s  an empty object (a struct)            r  the zero value (no omitempty)
"""
import os
import re
import sys

API = ["core/v1", "apps/v1", "batch/v1", "autoscaling/v1", "autoscaling/v2", "policy/v1", "networking/v1", "discovery/v1",
       "coordination/v1", "events/v1", "scheduling/v1", "storage/v1", "rbac/v1"]
ROOTS = {
    "core.v1": "Namespace Pod Service ConfigMap Secret ServiceAccount Event Node PersistentVolume PersistentVolumeClaim "
               "Endpoints LimitRange ResourceQuota PodTemplate ReplicationController Binding",
    "apps.v1": "Deployment ReplicaSet StatefulSet DaemonSet ControllerRevision",
    "batch.v1": "Job CronJob",
    "autoscaling.v1": "Scale",
    "autoscaling.v2": "HorizontalPodAutoscaler",
    "policy.v1": "PodDisruptionBudget Eviction",
    "networking.v1": "Ingress IngressClass NetworkPolicy",
    "discovery.v1": "EndpointSlice",
    "coordination.v1": "Lease",
    "events.v1": "Event",
    "scheduling.v1": "PriorityClass",
    "storage.v1": "StorageClass",
    "rbac.v1": "Role RoleBinding ClusterRole ClusterRoleBinding",
    "apiextensions.v1": "CustomResourceDefinition",
    "meta.v1": "DeleteOptions",
}
# Types whose JSON is not that of their fields.
OPAQUE = {"meta.v1.Time", "meta.v1.MicroTime", "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension",
          "meta.v1.FieldsV1", "meta.v1.Duration", "apiextensions.v1.JSON", "apiextensions.v1.JSONSchemaPropsOrArray",
          "apiextensions.v1.JSONSchemaPropsOrBool", "apiextensions.v1.JSONSchemaPropsOrStringArray"}
# Of these, the structs, which Go writes even when they are empty and marked omitempty.
STRUCTS = {"meta.v1.Time", "meta.v1.MicroTime", "resource.Quantity", "intstr.IntOrString"}


def short(package):
    parts = package.strip(".").split(".")
    return ".".join(parts[-2:]) if re.fullmatch(r"v\d+\w*", parts[-1]) else parts[-1]


def read(folder, package, types):
    proto = open(os.path.join(folder, "generated.proto")).read()
    proto = re.sub(r"//[^\n]*", "", proto)
    tags = {}
    for name in os.listdir(folder):
        if not name.endswith(".go") or name.endswith("_test.go") or "generated" in name:
            continue
        source = open(os.path.join(folder, name)).read()
        for struct in re.finditer(r"^type (\w+) struct \{\n(.*?)^\}", source, re.M | re.S):
            fields = tags.setdefault(struct.group(1), {})
            pattern = r"^\t(?:(\w+)\s+)?([\w.*\[\]]+)\s+`([^`]*)`"
            for _, go_type, tag in re.findall(pattern, struct.group(2), re.M):
                number = re.search(r'protobuf:"\w+,(\d+),', tag)
                json_tag = re.search(r'json:"([^"]*)"', tag)
                if number and json_tag:
                    fields[int(number.group(1))] = (go_type, json_tag.group(1))
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
            go_type, tag = tags.get(message.group(1), {}).get(int(number), ("", name + ",omitempty"))
            fields.append((name, int(number), prefix, kind, go_type, tag))
        types[package + "." + message.group(1)] = fields


def line(name, fields):
    out = [name]
    for proto_name, number, prefix, kind, go_type, tag in fields:
        json_name, _, options = tag.partition(",")
        is_struct = "." in kind and not prefix and not go_type.startswith("*")
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
        out.append(f"{json_name or proto_name}={number}:{flag}{prefix}{kind}")
    return " ".join(out)


def main():
    cache, version = sys.argv[1:3]
    types = {}
    for folder in API:
        read(f"{cache}/api@{version}/{folder}", folder.replace("/", "."), types)
    meta = f"{cache}/apimachinery@{version}/pkg"
    read(f"{meta}/apis/meta/v1", "meta.v1", types)
    read(f"{cache}/apiextensions-apiserver@{version}/pkg/apis/apiextensions/v1", "apiextensions.v1", types)
    wanted, queue = set(), [f"{group}.{kind}" for group, kinds in ROOTS.items() for kind in kinds.split()]
    while queue:
        name = queue.pop()
        if name in wanted or name in OPAQUE or name not in types:
            continue
        wanted.add(name)
        queue += [field[3] for field in types[name] if "." in field[3]]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "types.txt"), "w") as out:
        out.write(f"# Made by update.py from k8s.io/api {version}; do not edit.\n")
        for name in sorted(wanted):
            out.write(line(name, types[name]) + "\n")


main()
