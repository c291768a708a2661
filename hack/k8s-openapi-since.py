#!/usr/bin/env python3
"""Prints the fields of Kubernetes' types that later versions added: a line for each struct of k8s-openapi, with the JSON names of the fields
that the first version with the struct lacks, and the minor version that added each (`PodSpec hostnameOverride@34`).

Usage: k8s-openapi-since.py EARLIEST SOURCES… (as in 30; releases of k8s-openapi that have all versions between them)"""
import pathlib
import re
import sys

STRUCT = re.compile(r"^pub struct (\w+) \{\n(.*?)^\}", re.M | re.S)
KEY = re.compile(r'"([^"]+)" => Field::Key_(\w+),')


def structs(root):
    found = {}
    for file in root.rglob("*.rs"):
        text = file.read_text()
        struct = STRUCT.search(text)
        if struct:
            module = file.parent.relative_to(root).as_posix()
            found[f"{module}/{struct[1]}"] = {json for json, _ in KEY.findall(text)}
    return found


earliest = int(sys.argv[1])
versions = {}
for sources in sys.argv[2:]:
    for folder in pathlib.Path(sources).glob("v1_*"):
        number = int(folder.name.removeprefix("v1_"))
        if number >= earliest and number not in versions:
            versions[number] = structs(folder)
numbers = sorted(versions)
assert numbers == list(range(earliest, numbers[-1] + 1)), f"versions are missing: {numbers}"
for path in sorted(set().union(*versions.values())):
    first = min(number for number in numbers if path in versions[number])
    since = {}
    for number in numbers:
        for name in versions[number].get(path, ()):
            since.setdefault(name, number)
    later = [f"{name}@{number}" for name, number in sorted(since.items()) if number > first]
    if later:
        print(path, *later)
