"""Creates, rolls over, scales and deletes Deployments, and prints the resource usage of the controllers' process as JSON.

load.py KUBECONFIG DEPLOYMENTS PID AUDIT_LOG
"""

import base64
import concurrent.futures
import http.client
import json
import os
import re
import ssl
import sys
import threading
import time
import urllib.parse

kubeconfig, count, pid, audit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
text = open(kubeconfig).read()


def field(name):
    match = re.search(rf'"?{name}"?:\s*"?([^",\s}}]+)', text)
    return match.group(1) if match else None


url = urllib.parse.urlparse(field("server"))
context = ssl.create_default_context()
if field("certificate-authority-data"):
    context.load_verify_locations(cadata=base64.b64decode(field("certificate-authority-data")).decode())
elif field("certificate-authority"):
    context.load_verify_locations(field("certificate-authority"))
local = threading.local()


def call(method, path, body=None, content="application/json"):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPSConnection(url.hostname, url.port, context=context, timeout=60)
    headers = {"Authorization": f"Bearer {field('token')}", "Content-Type": content, "User-Agent": "load"}
    local.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
    answer = local.connection.getresponse()
    data = answer.read()
    if answer.status >= 400:
        raise SystemExit(f"{method} {path}: {answer.status} {data[:300]}")
    return json.loads(data)


NAMESPACE = "bench"
PATH = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"


def deployment(index):
    labels = {"app": f"app-{index}"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "a"}]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"app-{index}"},
            "spec": {"replicas": 3, "selector": {"matchLabels": labels}, "template": template}}


def for_all(action):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(action, range(count)))


def settled(replicas):
    while True:
        items = call("GET", PATH)["items"]
        counts = ("replicas", "updatedReplicas", "availableReplicas")
        done = sum(it["status"].get("observedGeneration") == it["metadata"]["generation"]
                   and all(it["status"].get(name, 0) == replicas for name in counts) for it in items)
        if done == count:
            return
        time.sleep(0.5)


def gone():
    kinds = (PATH, PATH.replace("deployments", "replicasets"), f"/api/v1/namespaces/{NAMESPACE}/pods")
    while any(call("GET", path + "?limit=1")["items"] for path in kinds):
        time.sleep(0.5)


def patch(index, body):
    call("PATCH", f"{PATH}/app-{index}", body, "application/strategic-merge-patch+json")


def usage():
    ticks = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    status = open(f"/proc/{pid}/status").read()
    peak = int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024
    now = int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK"), peak, now


def agent_of_loops():
    command = open(f"/proc/{pid}/cmdline").read().split("\0")
    return "kube-controller-manager" if "kube-controller-manager" in command[0] else "controller-manager/"


def requests():
    """Counts the controllers' requests by kind. The simulated kubelet, which may be the same program, impersonates another user."""
    agent, kinds = agent_of_loops(), {}
    for line in open(audit):
        if not line.endswith("\n"):
            break
        event = json.loads(line)
        if not event.get("userAgent", "").startswith(agent) or event.get("impersonatedUser"):
            continue
        of = event.get("objectRef", {})
        kind = "/".join(filter(None, [of.get("resource", "-"), of.get("subresource")]))
        kind = f"{event['verb']} {kind}"
        if kind == "create pods/binding":
            raise SystemExit("cannot distinguish the requests of the simulated kubelet from those of the controllers")
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def requests_at_rest():
    """Returns the requests once there were none for five seconds, since events are written later, one by one."""
    kinds, quiet = requests(), 0
    while quiet < 5:
        time.sleep(1)
        now = requests()
        quiet = quiet + 1 if now == kinds else 0
        kinds = now
    return kinds


def main():
    figures = {}
    call("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    time.sleep(3)
    start_cpu = usage()[0]
    steps = [
        ("created", lambda: for_all(lambda i: call("POST", PATH, deployment(i))), lambda: settled(3)),
        ("rolled over", lambda: for_all(lambda i: patch(i, {"spec": {"template": {"spec": {"containers": [
            {"name": "main", "image": "b"}]}}}})), lambda: settled(3)),
        ("scaled to 5", lambda: for_all(lambda i: patch(i, {"spec": {"replicas": 5}})), lambda: settled(5)),
        ("deleted", lambda: for_all(lambda i: call("DELETE", f"{PATH}/app-{i}", {"propagationPolicy": "Background"})), gone),
    ]
    for name, act, wait in steps:
        began = time.monotonic()
        act()
        wait()
        figures[f"{name}, seconds"] = time.monotonic() - began
        print(name, f"{figures[f'{name}, seconds']:.1f} s", file=sys.stderr)
    kinds = requests_at_rest()
    events = sum(count for kind, count in kinds.items() if kind.endswith(" events"))
    cpu, peak, now = usage()
    figures["CPU seconds"] = cpu - start_cpu
    figures["peak memory, MiB"] = peak
    figures["memory at the end, MiB"] = now
    figures["requests"] = sum(kinds.values())
    figures["requests but for events"] = figures["requests"] - events
    for kind, count in sorted(kinds.items(), key=lambda pair: -pair[1]):
        print(f"{count:7} {kind}", file=sys.stderr)
    print(json.dumps(figures))


main()
