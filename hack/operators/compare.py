#!/usr/bin/env python3
"""Compares the CRDs of a folder with others: those that kube's compiled `crd()` returned, one JSON document a line, or those that a project has
checked in as YAML, in a file or below a folder, also as templates of Helm.

Prints how many CRDs there are, how many are the same apart from what is listed in docs/kube-derive.md, and how many differ otherwise, whose
differences follow.

Usage: compare.py OTHERS FOLDER"""
import json
import pathlib
import re
import sys

import yaml

# Formats that the API server does not know, and that of integers without one.
FORMATS = {None, "double", "float", "int8", "int16", "int64", "ip", "uint", "uint8", "uint16", "uint32", "uint64"}
# What the Go types of Kubernetes' own types say, and k8s-openapi's do not.
OF_GO = {"anyOf", "default", "enum", "maxLength", "minLength", "minimum", "pattern", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys",
         "x-kubernetes-list-type", "x-kubernetes-map-type"}
BOUNDS = {255, 65535, 4294967295, 127, 32767, -128, -32768}


def without_null(value):
    if isinstance(value, dict):
        return {key: without_null(part) for key, part in value.items() if part is not None}
    if isinstance(value, list):
        return [without_null(part) for part in value if part is not None]
    return value


def is_listed(word, own, made):
    if word == "format":
        return own in FORMATS and made in FORMATS
    if word in ("maximum", "minimum") and made in BOUNDS and own is None:
        return True
    if word in ("default", "enum") and without_null(own) == made:
        return True
    if word == "required":
        return set(made or []) <= set(own or [])
    if word == "type" and own == "string":
        return made is None
    return word in OF_GO and own is None


def differences(own, made, path):
    """Yields the paths that differ, with the two values; `own` is kube's."""
    # Fields may have the names of keywords.
    are_fields = path.endswith(".properties")
    for word in sorted(set(own) | set(made)):
        one, other = own.get(word), made.get(word)
        if one == other or word in ("description", "title") and not isinstance(one or other, dict):
            continue
        if word == "properties" or isinstance(one, dict) and isinstance(other, dict) and (are_fields or word != "default"):
            yield from differences(one or {}, other or {}, f"{path}.{word}")
        elif word == "nullable" and "x-kubernetes-int-or-string" in made:
            continue
        elif not is_listed(word, one, other):
            yield f"{path}.{word}", one, other


def schemas(crd):
    for version in crd["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        for word in ("apiVersion", "kind", "metadata"):
            schema.get("properties", {}).pop(word, None)
        yield version["name"], schema


def checked_in(path):
    """Yields the CRDs in a file or below a folder."""
    files = sorted(path.rglob("*.y*ml")) if path.is_dir() else [path]
    for file in files:
        text = file.read_text()
        if "kind: CustomResourceDefinition" not in text:
            continue
        # Lines of templates, then templates within lines.
        text = re.sub(r"\{\{.*?\}\}", "x", re.sub(r"^\s*\{\{.*\}\}\s*$", "", text, flags=re.M))
        for document in yaml.safe_load_all(text):
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                yield document


path = pathlib.Path(sys.argv[1])
if path.suffix == ".json":
    owned = [json.loads(line) for line in path.read_text().splitlines()]
else:
    owned = list(checked_in(path))
made = {}
for file in pathlib.Path(sys.argv[2]).glob("*.yaml"):
    crd = yaml.safe_load(file.read_text())
    made[crd["metadata"]["name"]] = crd
if path.suffix != ".json":
    # Those of other programs.
    owned = [crd for crd in owned if crd["metadata"]["name"] in made]
others = []
for crd in owned:
    ours = made.get(crd["metadata"]["name"])
    mine = dict(schemas(ours)) if ours else {}
    found = []
    for version, schema in schemas(crd):
        if version not in mine:
            found.append((version, "a version", "missing"))
        else:
            found.extend(differences(schema, mine[version], version))
    if found:
        others.append((crd["metadata"]["name"], found))
print(len(owned), len(owned) - len(others), len(others))
for name, found in others:
    for path, one, other in found:
        print(f"{name}: {path}: {json.dumps(one)} is {json.dumps(other)} here", file=sys.stderr)
