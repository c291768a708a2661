"""Tries the rules of a table on the API server of kubectl. See hack/rules.sh."""

import copy
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

folder = Path(sys.argv[1])
update = "--update" in sys.argv[2:]
schema = json.loads((folder / "schema.json").read_text())
table = folder / "rules.tsv"


def within(schema, place):
    """Returns the schema at a path such as `.spec.list[]`."""
    for name, items in re.findall(r"\.([^.\[]+)|(\[\])", place):
        if items:
            schema = schema["items"] if schema["type"] == "array" else schema["additionalProperties"]
        else:
            schema = schema["properties"][name]
    return schema


def crd(place, rule, message):
    whole = copy.deepcopy(schema)
    one = {"rule": rule}
    if message:
        one["messageExpression"] = message
    within(whole, place)["x-kubernetes-validations"] = [one]
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": whole}}
    names = {"kind": "Ruled", "listKind": "RuledList", "plural": "ruleds", "singular": "ruled"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ruleds.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": "Namespaced", "versions": [version]},
    }


def verdict(row):
    place, _, _, rule, message = row
    create = [os.environ["KUBECTL"], "create", "--dry-run=server", "-f", "-"]
    sent = json.dumps(crd(place, rule, message))
    done = subprocess.run(create, input=sent, capture_output=True, text=True, check=False)
    return ("accepted" if done.returncode == 0 else "refused", done.stderr)


rows = [(line.split("\t") + [""])[:5] for line in table.read_text().splitlines()]
with ThreadPoolExecutor(4) as pool:
    answers = list(pool.map(verdict, rows))
wrong = 0
for row, (got, said) in zip(rows, answers):
    cost = re.search(r"factor of (more than )?[0-9.]+x", said)
    if cost and update:
        row[2] = cost.group()
    if got != row[1] or row[2] not in said or (row[1] == "refused" and not row[2]):
        wrong += 1
        print(f"{got}: {row[0]}: {row[3]}: {row[4]}: {said.strip()[-400:]}")
        if update:
            row[1] = got
if update:
    table.write_text("".join("\t".join(row).rstrip("\t") + "\n" for row in rows))
refused = sum(1 for row in rows if row[1] == "refused")
print(f"{len(rows)} rules, {refused} of them refused, {wrong} differ from the table")
sys.exit(1 if wrong else 0)
