#!/usr/bin/env python3
"""Holds the findings of `kube-codegen lint` against those of kube-api-linter.

compare.py FOLDER THEIRS OURS MODEL: FOLDER is the module, THEIRS the JSON of the analyzers, OURS that of `lint --format json`, MODEL that of
`inspect --json`. Prints a line for each place: rule, who finds it (`both`, `here`, `there`), why only one does, file and line, and what is said
there. Rules that only one of the two has are left out.

compare.py --table FILE…: prints the table of docs/lint.md from such lines, and fails if a difference has no reason.
"""

import collections
import json
import os
import re
import sys

# Our rules by theirs; findings whose text does not match are of a kind that only Go has.
RULES = {
    "arrayofstruct": ("items", ""),
    "commentstart": ("description-start", ""),
    "conditions": ("conditions", "must be a slice|listType"),
    "defaultorrequired": ("defaults", ""),
    "defaults": ("defaults", "not marked as optional"),
    "integers": ("integers", ""),
    "jsontags": ("names", "does not match pattern"),
    "nodurations": ("durations", ""),
    "nofloats": ("floats", ""),
    "nomaps": ("maps", ""),
    "nonullable": ("nullable", ""),
    "nophase": ("phases", ""),
    "noreferences": ("references", ""),
    "notimestamp": ("timestamps", ""),
    "ssatags": ("list-type", ""),
}

# Rules of ours that are a part of one of theirs.
PARTS = {"descriptions": "description-start"}

REASONS = {
    "no-kind": "the type is part of no kind",
    "unmarked-required": "a field of the items is required by the schema, without a marker: it has no `omitempty`",
    "unmarked-optional": "the schema does not require the field, without a marker: it has `omitempty`",
    "conditions": "the type has all that clients know of `metav1.Condition`, by another name",
    "text": "the values are text in JSON",
    "name": "the name in JSON has no `Reference`",
    "marshals": "the type writes its JSON itself, as text",
    "other-package": "a named list of another package, which is not followed there",
    "schemaless": "the field is marked `Schemaless`, which is passed over there",
    "directive": "the marker is written `//+`, which is not read there",
    "metadata": "it is `metadata`, which is the same in every kind",
    "type": "the named type is reported beside the fields that have it",
    "": "**not explained**",
}


def declared(lines, line):
    """The line of a field or type whose comment starts at a line."""
    while line <= len(lines) and lines[line - 1].lstrip().startswith("//"):
        line += 1
    return line


def comment(lines, line):
    """The comment above a field or type."""
    start = line
    while start > 1 and lines[start - 2].lstrip().startswith("//"):
        start -= 1
    return "\n".join(lines[start - 1 : line])


def theirs(folder, path):
    sources, found = {}, {}
    for package in json.load(open(path)).values():
        for analyzer, diagnostics in package.items():
            if analyzer not in RULES or not isinstance(diagnostics, list):
                continue
            rule, wanted = RULES[analyzer]
            for diagnostic in diagnostics:
                if not re.search(wanted, diagnostic["message"]):
                    continue
                file, line, _ = diagnostic["posn"].rsplit(":", 2)
                if file not in sources:
                    sources[file] = open(file).read().split("\n")
                place = declared(sources[file], int(line))
                key = (rule, os.path.relpath(file, folder), place)
                found[key] = diagnostic["message"]
    return found


def ours(path):
    known = {rule for rule, _ in RULES.values()}
    found = {}
    for finding in json.load(open(path)):
        rule = PARTS.get(finding["rule"], finding["rule"])
        if rule in known and "line" in finding:
            key = (rule, os.path.normpath(finding["file"]), finding["line"])
            found[key] = finding["message"]
    return found


class Model:
    """The types of all kinds, by name."""

    def __init__(self, path):
        model = json.load(open(path))
        versions = [version for group in model["groups"] for version in group["versions"]]
        self.types = collections.defaultdict(list)
        for module in versions + model.get("packages", []):
            for one in module["types"]:
                self.types[one["name"]].append(one)

    def fields(self, type_name, go_name=None):
        for one in self.types.get(type_name, []):
            kind = one["kind"]
            for field in kind.get("struct", {}).get("fields", []) if isinstance(kind, dict) else []:
                if go_name in (None, field.get("go", {}).get("name")):
                    yield field

    def named(self, ty):
        """The local type that a reference leads to."""
        while isinstance(ty, dict):
            [(how, inner)] = list(ty.items())[:1]
            if how in ("local", "external"):
                name = inner if isinstance(inner, str) else inner.rsplit("::", 1)[-1]
                kinds = [one["kind"] for one in self.types.get(name, [])]
                aliases = [kind["alias"]["target"] for kind in kinds if "alias" in kind]
                if not aliases:
                    return name
                inner = aliases[0]
            ty = inner
        return None


def reason(model, rule, side, said, above):
    """Why only one side finds something, with the lines above; empty if it is not known."""
    if side == "here":
        if "Schemaless" in above:
            return "schemaless"
        return "other-package" if rule == "list-type" else ""
    if rule == "list-type" and "//+listType" in above:
        return "directive"
    if "metav1.ObjectMeta" in said:
        return "metadata"
    words = re.search(r"\b([A-Za-z]\w*)\.([A-Za-z]\w*)", said)
    of_type = re.search(r"^type (\w+)|^\w+ field in (\w+)|^field (\w+)\. ", said)
    struct = words.group(1) if words and not of_type else next((it for it in of_type.groups() if it), "") if of_type else ""
    if struct not in model.types:
        return "no-kind"
    fields = list(model.fields(struct, words.group(2) if words else None))
    if any(one.get("marshals") for one in model.types[struct]):
        return "marshals"
    if rule == "items":
        items = {model.named(field["ty"]) for field in fields}
        if any(field["required"] for name in items for field in model.fields(name)):
            return "unmarked-required"
    if rule == "defaults" and fields and not any(field["required"] for field in fields):
        return "unmarked-optional"
    if rule == "conditions" and "must be a slice" in said:
        return "conditions"
    if rule == "references" and not any("Reference" in field["jsonName"] for field in fields):
        return "name"
    if rule == "maps" and fields:
        return "text"
    return "type" if of_type else ""


def compared(folder, there, here, model):
    there, here, model = theirs(folder, there), ours(here), Model(model)
    for key in sorted(there.keys() | here.keys()):
        side = "both" if key in there and key in here else "there" if key in there else "here"
        said = there.get(key) or here.get(key)
        rule, file, line = key
        above = comment(open(os.path.join(folder, file)).read().split("\n"), line)
        why = "-" if side == "both" else reason(model, rule, side, said, above) or "?"
        print(f"{rule}\t{side}\t{why}\t{file}:{line}\t{said}")


def table(paths):
    sides = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(collections.Counter)
    for path in paths:
        for line in open(path):
            rule, side, why, *_ = line.split("\t")
            sides[rule][side] += 1
            if side != "both":
                reasons[rule][(side, why.strip("?"))] += 1
    names = collections.defaultdict(list)
    for name, (rule, _) in RULES.items():
        names[rule].append(f"`{name}`")
    print("| rule | there | both | here alone | there alone | why |")
    print("|---|---|---|---|---|---|")
    for rule, there in sorted(names.items()):
        whys = [f"{side} {count}: {REASONS[why]}" for (side, why), count in sorted(reasons[rule].items())]
        count = sides[rule]
        print(f"| `{rule}` | {', '.join(there)} | {count['both']} | {count['here']} | {count['there']} | {'; '.join(whys)} |")
    return any(why == "" for counter in reasons.values() for _, why in counter)


if sys.argv[1] == "--table":
    sys.exit(1 if table(sys.argv[2:]) else 0)
compared(*sys.argv[1:])
