#!/usr/bin/env python3
"""Prints the types that exist in every Kubernetes version in k8s-openapi's sources: a line for each module, with its names."""
import collections
import pathlib
import re
import sys

USE = re.compile(r"^pub use self::\w+::(?:\{([^}]*)\}|(\w+));", re.M)


def names(root):
    found = set()
    for module in root.rglob("mod.rs"):
        path = module.parent.relative_to(root).as_posix()
        for group, name in USE.findall(module.read_text()):
            for one in (group or name).split(","):
                if path != "." and one.strip()[:1].isupper():
                    found.add((path, one.strip()))
    return found


versions = sorted(pathlib.Path(sys.argv[1]).glob("v1_*"))
modules = collections.defaultdict(list)
for module, name in set.intersection(*map(names, versions)):
    modules[module].append(name)
for module in sorted(modules):
    print(module, *sorted(modules[module]))
