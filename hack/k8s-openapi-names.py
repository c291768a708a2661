#!/usr/bin/env python3
"""Prints the types that every Kubernetes version in k8s-openapi's sources has with the form of the Go type of that name: a line for each
module, with its names.

`*` after a name marks an API object, which writes its `apiVersion` and `kind` wherever it is used. Left out are types that are something else
in Rust: with parameters (`WatchEvent<T>`), with a form of their own (`Patch`), or arbitrary JSON for an empty struct. They are listed on
standard error."""
import collections
import pathlib
import re
import sys

USE = re.compile(r"^pub use self::\w+::(?:\{([^}]*)\}|(\w+));", re.M)
DECLARED = re.compile(r"^pub (struct|enum) (\w+)(.)", re.M)
OBJECT = re.compile(r"^impl crate::Resource for (\w+) ", re.M)

# Types other than structs with fields that have the JSON form of Go's.
ALIKE = {
    "FieldsV1",
    "IntOrString",
    "JSON",
    "JSONSchemaPropsOrArray",
    "JSONSchemaPropsOrBool",
    "JSONSchemaPropsOrStringArray",
    "MicroTime",
    "Quantity",
    "RawExtension",
    "Time",
}


def names(root):
    """Returns whether each exported type is an API object, and what else the sources declare, by module and name."""
    found, others = {}, set()
    for module in root.rglob("mod.rs"):
        path = module.parent.relative_to(root).as_posix()
        exported = {
            one.strip()
            for group, name in USE.findall(module.read_text())
            for one in (group or name).split(",")
            if path != "." and one.strip()[:1].isupper()
        }
        declared, objects = {}, set()
        for file in module.parent.glob("*.rs"):
            text = file.read_text()
            declared |= {name: (kind, behind) for kind, name, behind in DECLARED.findall(text)}
            objects |= set(OBJECT.findall(text))
        for name in exported:
            is_struct = declared.get(name, ("struct", " ")) == ("struct", " ")
            if is_struct or name in ALIKE:
                found[path, name] = name in objects
            else:
                others.add((path, name))
    return found, others


versions = [names(root) for root in sorted(pathlib.Path(sys.argv[1]).glob("v1_*"))]
modules = collections.defaultdict(list)
for module, name in set.intersection(*(set(found) for found, _ in versions)):
    modules[module].append(name + ("*" if versions[-1][0][module, name] else ""))
for module in sorted(modules):
    print(module, *sorted(modules[module], key=lambda name: name.rstrip("*")))
for module, name in sorted(set.union(*(others for _, others in versions))):
    print(f"something else in Rust: {module}/{name}", file=sys.stderr)
