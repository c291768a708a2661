#!/usr/bin/env python3
"""Prints the fields of the structs that every Kubernetes version in k8s-openapi's sources has: a line for each struct, with the
JSON names of the fields that all versions have alike; `!` marks those that are always written. Structs of which some version always
writes another field are left out, since that version would add it to what was read. Objects with a kind of
their own are left out, since they write `apiVersion` and `kind`; so are types of alpha and beta versions."""
import pathlib
import re
import sys

STRUCT = re.compile(r"^pub struct (\w+) \{\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^    pub (\w+|r#\w+): (.*),$", re.M)
KEY = re.compile(r'"([^"]+)" => Field::Key_(\w+),')
UNSTABLE = re.compile(r"/v\d+(alpha|beta)\d+$")


def structs(root):
    found = {}
    for file in root.rglob("*.rs"):
        module = file.parent.relative_to(root).as_posix()
        text = file.read_text()
        struct = STRUCT.search(text)
        if not struct or UNSTABLE.search(module) or "impl crate::Resource for" in text:
            continue
        names = {rust: json for json, rust in KEY.findall(text)}
        fields = FIELD.findall(struct[2])
        found[module, struct[1]] = {names[name]: type_ for name, type_ in fields if name in names}
    return found


versions = [structs(version) for version in sorted(pathlib.Path(sys.argv[1]).glob("v1_*"))]
for key in sorted(set.intersection(*map(set, versions))):
    alike = set.intersection(*(set(version[key].items()) for version in versions))
    always = {name for version in versions for name, type_ in version[key].items() if not type_.startswith("Option<")}
    if not always <= {name for name, _ in alike}:
        continue
    names = sorted(name if type_.startswith("Option<") else name + "!" for name, type_ in alike)
    if names:
        print("/".join(key), *names)
