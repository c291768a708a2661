#!/usr/bin/env python3
"""Prints the fields of the structs of k8s-openapi: a line for each struct, with the JSON names of its fields.

`@35` after a name means that the field or struct is the same in Kubernetes 1.35 and every later version in k8s-openapi's sources; without
it, it is the same in all versions. `!` marks fields that are always written.

A struct is listed from the first version on from which its always-written fields are the same in all later versions, since another
version would add such a field to an object that it reads.

Left out are fields whose type differs from the version that the table of types is built from, objects with a kind of their own, since
they write `apiVersion` and `kind`, and types of alpha and beta versions.

Usage: k8s-openapi-fields.py SOURCES VERSION_OF_THE_TABLE (as in v1_36)"""
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


def is_always(type_):
    return not type_.startswith("Option<")


def plain(type_):
    return type_.removeprefix("Option<").removesuffix(">") if not is_always(type_) else type_


def alike(versions, key):
    """Returns the fields that have the same type in all versions."""
    return dict(set.intersection(*(set(version[key].items()) for version in versions)))


def holds(versions, key):
    """Whether all always-written fields of any version are the same in all versions."""
    if not all(key in version for version in versions):
        return False
    same = alike(versions, key)
    return all(name in same for version in versions for name, type_ in version[key].items() if is_always(type_))


folders = sorted(pathlib.Path(sys.argv[1]).glob("v1_*"))
versions = [structs(folder) for folder in folders]
numbers = [int(folder.name.removeprefix("v1_")) for folder in folders]
table = versions[[folder.name for folder in folders].index(sys.argv[2])]
since = lambda index: f"@{numbers[index]}" if index else ""
for key in sorted(versions[-1].keys() & table.keys()):
    fits = [index for index in range(len(versions)) if holds(versions[index:], key)]
    if not fits:
        continue
    fields = {}
    for index in reversed(range(fits[0], len(versions))):
        for name, type_ in alike(versions[index:], key).items():
            if plain(table[key].get(name, "")) == plain(type_):
                fields[name] = name + since(index if index > fits[0] else 0) + ("!" if is_always(type_) else "")
    if fields:
        print("/".join(key) + since(fits[0]), *(fields[name] for name in sorted(fields)))
