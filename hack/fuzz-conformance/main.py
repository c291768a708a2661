"""Sends seeded random requests to the real kube-apiserver and to the embedded one, and prints the classes of differences.

Start reading at `Run`: `steps` creates a request, `servers` sends it, and `compare` classifies the differences.
"""

import argparse
import copy
import json
import os
import re
import sys
import time

import crds
import objects
from compare import brief, differences
from servers import Embedded, real, wait
from steps import NAMES, make_step, object_name

HERE = os.path.dirname(os.path.abspath(__file__))


class Run:
    """One sequence of requests. An object that differs is deleted from both servers, so that it causes no further differences."""

    def __init__(self, servers, arguments):
        self.servers, self.seed, self.only, self.shown = servers, arguments.seed, arguments.only, arguments.show
        # Part of all names, so that runs on one server do not collide.
        self.run = format(time.time_ns() % 36**10, "x")
        self.classes, self.sent, self.codes = {}, 0, {}
        # Objects that could not be deleted. They are skipped from then on.
        self.stuck = set()

    def start(self):
        for server in self.servers:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"fuzz-{self.run}"}}
            self.must(server, "POST", "/api/v1/namespaces", namespace)
            for crd in crds.served(self.run):
                self.must(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
        for kind in (objects.KINDS[name] for name in ("Widget", "WidgetBeta", "Gadget")):
            for server in self.servers:
                if not wait(lambda: server.send("GET", kind.path(self.run))[0] == 200, 20):
                    raise SystemExit(f"fuzz-conformance: {server.name} does not serve {kind.name}")

    def must(self, server, method, path, body):
        code, answer, _ = server.send(method, path, body=body)
        if code >= 300 or code == 0:
            raise SystemExit(f"fuzz-conformance: {server.name} answers {method} {path} with {code}: {brief(answer)}")

    def step(self, number):
        step = make_step(self.seed, number, self.run, self.only)
        if (step.kind.plural, step.name) in self.stuck:
            return
        if step.first and self.servers[0].send("GET", step.kind.path(self.run, step.name))[0] == 404:
            self.request(step.first, number)
        self.request(step, number)

    def request(self, step, number):
        answers = [self.perform(server, step) for server in self.servers]
        self.sent += 1
        self.codes[answers[0][0]] = self.codes.get(answers[0][0], 0) + 1
        if number == self.shown:
            self.show(step, answers)
        self.alive(number)
        found = differences(*answers, self.run)
        for what, example in found:
            key = (step.label, step.kind.name, what)
            count, place, first = self.classes.get(key, (0, number, example))
            self.classes[key] = (count + 1, place, first)
        if step.kind.name == "CustomResourceDefinition" and step.writes:
            self.settle(step)
        if found:
            for name in [step.name] if step.name else [object_name(step.kind, n, self.run) for n in NAMES]:
                self.reset(step.kind, name)

    def alive(self, number):
        """Ends the run if a server is gone. A single request without a response (code 0) is a difference like any other."""
        for server in self.servers:
            if server.send("GET", "/version")[0] != 200:
                raise SystemExit(f"fuzz-conformance: {server.name} is gone after step {number} of seed {self.seed}")

    def perform(self, server, step):
        path = step.kind.path(self.run, None if step.method == "POST" else step.name, step.sub)
        body = copy.deepcopy(step.body)
        if step.live:
            code, stored, _ = server.send("GET", path)
            if code == 200:
                body = with_live(step, body, stored)
        return server.send(step.method, path, step.query, body, step.type, step.accept)

    def settle(self, step):
        """Waits until the controllers of the real server have processed a CRD."""
        path = step.kind.path(self.run, step.name)

        def settled(server):
            code, stored, _ = server.send("GET", path)
            if code == 404:
                return True
            conditions = {c["type"]: c["status"] for c in (stored.get("status") or {}).get("conditions") or []}
            if stored["metadata"].get("deletionTimestamp"):
                return stored["metadata"].get("finalizers") != ["customresourcecleanup.apiextensions.k8s.io"]
            return conditions.get("Established") == "True" or conditions.get("NamesAccepted") == "False"

        for server in self.servers:
            wait(lambda: settled(server), 2)

    def reset(self, kind, name):
        path = kind.path(self.run, name)
        for server in self.servers:
            if server.send("GET", path)[0] == 404:
                continue
            if not wait(lambda: self.remove(server, path), 5):
                print(f"fuzz-conformance: {server.name} does not delete {path}: skipped from here on", file=sys.stderr)
                self.stuck.add((kind.plural, name))

    def remove(self, server, path):
        """Deletes an object and its finalizers. Returns whether it is gone."""
        server.send("DELETE", path, body={"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Background"})
        server.send("PATCH", path, body={"metadata": {"finalizers": None}}, content_type="application/merge-patch+json")
        return server.send("GET", path)[0] == 404

    def show(self, step, answers):
        path = step.kind.path(self.run, None if step.method == "POST" else step.name, step.sub)
        print(step.method, path, step.query, step.type or "", "live:", step.live, step.changes)
        print(json.dumps(step.body, indent=1, ensure_ascii=False))
        for server, (code, answer, warnings) in zip(self.servers, answers):
            print(f"== {server.name}: {code} {warnings}\n{json.dumps(answer, indent=1, ensure_ascii=False)}")

    def clean_up(self):
        for kind in objects.KINDS.values():
            if kind.cluster:
                for name in NAMES:
                    self.reset(kind, object_name(kind, name, self.run))
        for crd in crds.served(self.run):
            for server in self.servers:
                server.send("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{crd['metadata']['name']}")
        for server in self.servers:
            server.send("DELETE", f"/api/v1/namespaces/fuzz-{self.run}")


def with_live(step, body, stored):
    """Returns the body of an update, with the parts that it copies from the stored object."""
    metadata = stored["metadata"]
    if step.live == "change":
        for path, value in step.changes:
            objects.put(stored, path, value)
        return stored
    if isinstance(body.get("metadata"), dict) and step.live != "none":
        body["metadata"]["resourceVersion"] = "1" if step.live == "stale" else metadata["resourceVersion"]
        if step.live == "uid":
            body["metadata"]["uid"] = metadata.get("uid")
    return body


def read_known(path):
    known = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                *patterns, reason = line.rstrip("\n").split("\t")
                if len(patterns) != 3 or not reason:
                    raise SystemExit(f"fuzz-conformance: {path}: not four columns: {line}")
                known.append(([re.compile(".*".join(map(re.escape, p.split("*"))) + r"\Z", re.S) for p in patterns], reason))
    return known


def reason_of(known, key):
    return next((reason for patterns, reason in known if all(p.match(part) for p, part in zip(patterns, key))), None)


def report(run, known):
    """Prints the table. Returns the number of new classes."""
    rows = [(reason_of(known, key), key, *value) for key, value in run.classes.items()]
    rows.sort(key=lambda row: (row[0] is None, row[1]))
    for reason, (verb, kind, what), count, place, example in rows:
        print(f"{'known' if reason else 'NEW':<6}{count:>4}  {verb}  {kind}  {what}")
        print(f"            seed {run.seed} step {place}: {reason or example}")
    new = [row for row in rows if row[0] is None]
    codes = ", ".join(f"{code}: {count}" for code, count in sorted(run.codes.items()))
    print(f"seed {run.seed}: {run.sent} requests (real answers {codes}); {len(rows)} classes of difference, {len(new)} new")
    return len(new)


def main():
    parser = argparse.ArgumentParser(prog="hack/fuzz-conformance.sh", description="Random requests to the real and the embedded API server.")
    parser.add_argument("--seed", type=int, default=1, help="what the requests are made of (1)")
    parser.add_argument("--requests", type=int, default=1000, help="how many, at most 100000 (1000)")
    parser.add_argument("--only", choices=sorted(objects.KINDS), metavar="KIND", help="only this kind: " + ", ".join(sorted(objects.KINDS)))
    parser.add_argument("--show", type=int, metavar="STEP", help="print the request and both answers of a step")
    parser.add_argument("--minutes", type=float, default=20, help="end after this time (20)")
    parser.add_argument("--embedded", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--kubeconfig", default=os.environ.get("KUBECONFIG"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not 0 < arguments.requests <= 100_000:
        parser.error("--requests: 1 to 100000")
    known = read_known(os.path.join(HERE, "known.tsv"))
    end = time.monotonic() + arguments.minutes * 60
    with Embedded(arguments.embedded) as embedded:
        run = Run([real(arguments.kubeconfig), embedded], arguments)
        run.start()
        for number in range(arguments.requests):
            if time.monotonic() > end:
                print(f"fuzz-conformance: {arguments.minutes:g} minutes are over after {number} requests", file=sys.stderr)
                break
            run.step(number)
        run.clean_up()
    return 1 if report(run, known) else 0


if __name__ == "__main__":
    sys.exit(main())
