"""The published crates in the order to publish them, one "NAME VERSION FEATURES" a line, from `cargo metadata --no-deps` on standard input.
FEATURES are those with which docs.rs documents the crate, in the form of `--features` for a workspace.

A crate comes after all that it depends on, also for its tests: cargo resolves a package's development dependencies from the registry.
"""

import graphlib
import json
import sys


def documented(package: dict) -> str:
    """The features of [package.metadata.docs.rs]. Those of a dependency, such as k8s-openapi/latest, come with another crate's."""
    docs = (package["metadata"] or {}).get("docs", {}).get("rs", {})
    names = sorted(package["features"]) if docs.get("all-features") else docs.get("features", [])
    return ",".join(f"{package['name']}/{it}" for it in names if "/" not in it)


def main() -> None:
    packages = {it["name"]: it for it in json.load(sys.stdin)["packages"] if it["publish"] is None and "/testdata/" not in it["manifest_path"]}
    needs: dict[str, list[str]] = {}
    for name, package in sorted(packages.items()):
        members = [it for it in package["dependencies"] if it.get("path")]
        for it in members:
            # `cargo publish` leaves out a development dependency that has a path alone.
            if it["name"] not in packages and (it["kind"] != "dev" or it["req"] != "*"):
                sys.exit(f"{name} depends on {it['name']}, which is not published")
        needs[name] = sorted({it["name"] for it in members if it["name"] in packages and it["name"] != name})
    try:
        order = list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError as error:
        sys.exit("crates that need each other to be published: " + " -> ".join(error.args[1]))
    for name in order:
        print(name, packages[name]["version"], documented(packages[name]))


main()
