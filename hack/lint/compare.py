#!/usr/bin/env python3
"""Holds the findings of `kube-codegen lint` against those of kube-api-linter.

compare.py FOLDER THEIRS OURS: FOLDER is the module, THEIRS the JSON of the analyzers, OURS that of `lint --format json`. Prints a line for each
place: rule, who finds it (`both`, `here`, `there`), file and line, and what is said there. Rules that only one of the two has are left out.
"""

import json
import os
import re
import sys

# Our rules by theirs; findings whose text does not match are of a kind that only Go has.
RULES = {
    "arrayofstruct": ("items", ""),
    "commentstart": ("description-start", "should start with"),
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


def declared(lines, line):
    """The line of a field or type whose comment starts at a line."""
    while line <= len(lines) and lines[line - 1].lstrip().startswith("//"):
        line += 1
    return line


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
        if finding["rule"] in known and "line" in finding:
            key = (finding["rule"], os.path.normpath(finding["file"]), finding["line"])
            found[key] = finding["message"]
    return found


def main():
    folder, there, here = sys.argv[1:]
    there, here = theirs(folder, there), ours(here)
    for key in sorted(there.keys() | here.keys()):
        side = "both" if key in there and key in here else "there" if key in there else "here"
        said = there.get(key) or here.get(key)
        rule, file, line = key
        print(f"{rule}\t{side}\t{file}:{line}\t{said}")


main()
