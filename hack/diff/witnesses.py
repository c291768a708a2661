"""Shows witnesses of `kube-codegen diff --json` to the API server of $KUBECTL. See hack/witnesses.sh.

witnesses.py CLONE FINDINGS MOST: at most MOST for each id of a finding. Each object is created, in a dry run, with the CRD of the old release and
with that of the new one; a status is written to an object that has none. A witness of stored objects or writers is accepted before, and refused in the words that it has. Of data and meaning,
the fields that are set, not set or dropped are. Prints a line for each, and fails if one is not true.
"""

import atexit
import collections
import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request

import yaml

# YAML 1.1 has a meaning for `=` that nobody uses.
yaml.CSafeLoader.add_constructor("tag:yaml.org,2002:value", lambda _, node: node.value)
clone, findings, most = sys.argv[1], json.load(open(sys.argv[2]))["findings"], int(sys.argv[3])
kubectl = os.environ["KUBECTL"]


def run(*words, sent=None):
    done = subprocess.run([kubectl, *words], input=sent, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout if done.returncode == 0 else done.stderr


def crd(file, name):
    """The CRD of a file at a tag, without a conversion webhook, which is not there."""
    _, tag, path = file.split(":", 2)
    text = subprocess.run(["git", "-C", clone, "show", f"{tag}:{path}"], capture_output=True, text=True, check=True).stdout
    for one in yaml.load_all(text, yaml.CSafeLoader):
        if one and one.get("kind") == "CustomResourceDefinition" and one["metadata"]["name"] == name:
            one["spec"].pop("conversion", None)
            one["metadata"] = {"name": name, "annotations": {"api-approved.kubernetes.io": "unapproved"}}
            one.pop("status", None)
            return one
    raise SystemExit(f"{file} has no {name}")


def define(one):
    name = one["metadata"]["name"]
    run("delete", "crd", name, "--ignore-not-found", "--wait")
    ok, said = run("create", "-f", "-", sent=json.dumps(one))
    if not ok:
        raise SystemExit(f"{name}: {said}")
    run("wait", "--for=condition=Established", f"crd/{name}", "--timeout=20s")
    path = f"/apis/{one['spec']['group']}"
    for version in one["spec"]["versions"]:
        if version["served"]:
            for _ in range(100):
                if run("get", "--raw", f"{path}/{version['name']}/{one['spec']['names']['plural']}?limit=1")[0]:
                    break


def send(method, path, sent):
    """Whether the API server accepts a request, and its answer, or its message."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server + path, json.dumps(sent).encode(), headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return True, json.load(answer)
    except urllib.error.HTTPError as error:
        return False, json.load(error)["message"]


def write(one, sent, is_status):
    """Creates an object in a dry run, or writes its status."""
    plural, meta = one["spec"]["names"]["plural"], sent["metadata"]
    within = f"namespaces/{meta['namespace']}/" if "namespace" in meta else ""
    path = f"/apis/{sent['apiVersion']}/{within}{plural}"
    [version] = [it for it in one["spec"]["versions"] if it["name"] == sent["apiVersion"].split("/")[1]]
    if not is_status or "status" not in version.get("subresources", {}):
        return send("POST", f"{path}?dryRun=All", sent)
    ok, made = send("POST", path, {key: part for key, part in sent.items() if key != "status"})
    if not ok:
        return ok, made
    path = f"{path}/{meta['name']}"
    done = send("PUT", f"{path}/status?dryRun=All", {**made, "status": sent.get("status")})
    send("DELETE", path, {})
    return done


def value(answer, path):
    """The value at `spec.list[0].field`; None if there is none."""
    here = answer
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        try:
            here = here[name] if name else here[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return here


def holds(said, sent, ok, answer):
    """Whether the server did what a witness says of it; None if nothing can be compared."""
    state = re.fullmatch(r"`([^`]+)` is (not set|dropped|kept|.+)", said)
    if said.startswith("accepted"):
        return ok
    if state and ok:
        found = value(answer, state[1])
        if state[2] in ("not set", "dropped"):
            return found is None
        return found == (value(sent, state[1]) if state[2] == "kept" else json.loads(state[2]))
    if " is invalid: " in said:
        # Long values are cut in the witness.
        return not ok and all(part in answer for part in said.split("\u2026"))
    return None


proxy = subprocess.Popen([kubectl, "proxy", "--port=0"], stdout=subprocess.PIPE, text=True)
atexit.register(proxy.kill)
server = "http://" + proxy.stdout.readline().split()[-1]
tried, count, wrong = collections.Counter(), 0, 0
chosen = collections.defaultdict(list)
for finding in findings:
    for harm in finding["harms"]:
        witness = harm.get("witness")
        comparable = witness and set(harm["hurts"]) & {"stored objects", "writers", "data", "meaning"}
        is_update = witness and ("an update of" in witness["before"] or finding["id"] == "conversion-loss")
        if comparable and not is_update and finding["old"] and finding["new"] and tried[finding["id"]] < most:
            tried[finding["id"]] += 1
            chosen[finding["crd"], finding["old"]["file"], finding["new"]["file"]].append((finding, witness))
for (name, *files), witnesses in chosen.items():
    answers = []
    for file in files:
        one = crd(file, name)
        define(one)
        answers.append([write(one, witness["object"], finding["path"].startswith("status")) for finding, witness in witnesses])
    run("delete", "crd", name, "--wait=false")
    for (finding, witness), before, after in zip(witnesses, *answers):
        seen = [holds(witness[key], witness["object"], *got) for key, got in (("before", before), ("after", after))]
        count += None not in seen
        if False in seen:
            wrong += 1
            print(f"{name} {finding['version']} {finding['path']} ({finding['id']}): not so on the server")
            for key, (ok, answer) in (("before", before), ("after", after)):
                print(f"  {key}: {witness[key]}\n  server: {'accepted ' if ok else ''}{str(answer)[:300]}")
print(f"{count - wrong} of {count} witnesses are true on the server")
sys.exit(1 if wrong else 0)
