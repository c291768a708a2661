"""Sends small requests that cause large work, and measures what other clients notice.

For each case: the longest wait of /healthz, the highest memory, and the memory left some time later. See hack/hostile.sh.
"""

import argparse
import concurrent.futures
import http.client
import json
import multiprocessing
import pathlib
import random
import resource
import socket
import subprocess
import sys
import time

LONGEST_WAIT = 0.2  # seconds
PEAK_FACTOR, PEAK_SLACK = 10, 64 << 20
# Every unknown field is a warning, and every warning a header.
http.client._MAXHEADERS = 10_000
MAPS = "/api/v1/namespaces/default/configmaps"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "/apis/hostile.example.com/v1/namespaces/default"


class Server:
    """A server in a process of its own."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def send(self, method, path, body=None, content_type="application/json"):
        """Returns the status code, the answer's start and the bytes sent."""
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, data, {"Content-Type": content_type, "Accept": "application/json"})
            answer = connection.getresponse()
            start = answer.read(2000)
            while answer.read(1 << 20):
                pass
            return answer.status, start, len(data or b"") + len(path)
        finally:
            connection.close()

    def memory(self, field):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
        return 0

    def reset_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def probe(port, stop, longest):
    """Requests /healthz until it is stopped, and notes the longest wait."""
    while not stop.is_set():
        start = time.monotonic()
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            connection.close()
        except OSError:
            pass
        longest.value = max(longest.value, time.monotonic() - start)
        time.sleep(0.01)


def define(server, plural, kind, schema):
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    server.send("POST", CRDS, {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.hostile.example.com"},
        "spec": {"group": "hostile.example.com", "scope": "Namespaced", "versions": [version],
                 "names": {"plural": plural, "kind": kind}}})


def thing(kind, name, **fields):
    return {"apiVersion": "hostile.example.com/v1", "kind": kind, "metadata": {"name": name}, **fields}


def defaults(server, items):
    """A default of 100 kB for every item of a list."""
    item = {"type": "object", "properties": {"d": {"type": "string", "default": "x" * 100_000}}}
    define(server, f"defaults{items}", f"Default{items}", {"type": "object", "properties": {"l": {"type": "array", "items": item}}})
    return server.send("POST", f"{GROUP}/defaults{items}", thing(f"Default{items}", "a", l=[{}] * items))


def unknown_keys(server):
    """100,000 unknown fields of a built-in kind."""
    fields = {f"k{number}": 1 for number in range(100_000)}
    return server.send("POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unknown"}, **fields})


def patterns(server):
    """A string of a megabyte that fails 200 patterns."""
    schema = {"type": "string", "allOf": [{"pattern": f"^never{number}$"} for number in range(200)]}
    define(server, "patterns", "Pattern", {"type": "object", "properties": {"s": schema}})
    return server.send("POST", f"{GROUP}/patterns", thing("Pattern", "a", s="x" * 1_000_000))


def inserts(server):
    """Four patches of 10,000 inserts at the head of a list of 700,000 numbers."""
    schema = {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}}}
    define(server, "inserts", "Insert", schema)
    sent = server.send("POST", f"{GROUP}/inserts", thing("Insert", "a", l=[1] * 700_000))[2]
    patch = [{"op": "add", "path": "/l/0", "value": 1}] * 10_000
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        one = lambda _: server.send("PATCH", f"{GROUP}/inserts/a", patch, "application/json-patch+json")
        answers = list(pool.map(one, range(4)))
    return answers[0][0], answers[0][1], sent + sum(answer[2] for answer in answers)


def watches(server):
    """3,000 watches that never read, and 30 updates of 900 kB."""
    sockets, sent = [], 0
    request = f"GET {MAPS}?watch=true HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    for _ in range(3000):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.sendall(request)
        sockets.append(one)
        sent += len(request)
    answer = None
    for number in range(30):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "watched"}, "data": {"k": str(number % 10) * 900_000}}
        answer = server.send("POST" if number == 0 else "PUT", MAPS if number == 0 else f"{MAPS}/watched", body)
        sent += answer[2]
    time.sleep(2)
    for one in sockets:
        one.close()
    return answer[0], answer[1], sent


def appliers(server):
    """300 managers that each apply 1,000 fields to one object."""
    sent, answer = 0, None
    for manager in range(300):
        data = {f"m{manager}-{number}": "v" for number in range(1000)}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": data}
        answer = server.send("PATCH", f"{MAPS}/applied?fieldManager=m{manager}", body, "application/apply-patch+yaml")
        sent += answer[2]
        if answer[0] >= 500:
            break
    return answer[0], answer[1], sent


def empty_maps(server):
    """400,000 empty maps in 3 MB."""
    define(server, "maps", "Map", {"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    return server.send("POST", f"{GROUP}/maps", thing("Map", "a", l=[{"": 0}] * 300_000))


def seeds():
    """Requests to mutate."""
    yield "POST", MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "labels": {"a": "b"}}, "data": {"k": "v"}}, "application/json"
    yield "PUT", f"{MAPS}/m", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"k": "w"}}, "application/json"
    yield "PATCH", f"{MAPS}/m", {"data": {"x": "y"}}, "application/merge-patch+json"
    yield "PATCH", f"{MAPS}/m", {"data": {"x": "y", "$patch": "replace"}}, "application/strategic-merge-patch+json"
    yield "PATCH", f"{MAPS}/m", [{"op": "add", "path": "/data/k", "value": "v"}], "application/json-patch+json"
    yield "PATCH", f"{MAPS}/m?fieldManager=f", {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}, "application/apply-patch+yaml"
    yield "GET", f"{MAPS}?limit=5&labelSelector=a%3Db&resourceVersion=0", None, "application/json"
    yield "DELETE", f"{MAPS}/m", {"propagationPolicy": "Foreground"}, "application/json"
    yield "POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}]}}, "application/json"
    yield "POST", "/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}, "application/json"


def mutate(chance, text):
    """Changes some bytes of a request, repeats a part of it, or nests it."""
    text = bytearray(text)
    for _ in range(chance.randint(1, 4)):
        if not text:
            break
        at = chance.randrange(len(text))
        kind = chance.randrange(5)
        if kind == 0:
            text[at] = chance.randrange(256)
        elif kind == 1:
            del text[at:at + chance.randint(1, 8)]
        elif kind == 2:
            text[at:at] = text[at:at + chance.randint(1, 40)] * chance.choice([1, 2, 1000])
        elif kind == 3:
            text[at:at] = chance.choice([b"[" * 5000, b"{\"a\":" * 5000, b"9" * 5000, b"\\u0000", b"\xff\xfe", b"null", b"-1", b"1e999"])
        else:
            text[at:at] = bytes([chance.choice(b'"{}[],:')])
    return bytes(text)


def mutated(server, count, seed):
    """Random changes of ordinary requests."""
    chance, sent, answer = random.Random(seed), 0, None
    all_seeds = list(seeds())
    for _ in range(count):
        method, path, body, content_type = chance.choice(all_seeds)
        data = None if body is None else mutate(chance, json.dumps(body).encode())
        if chance.random() < 0.3:
            path = "/" + mutate(chance, path[1:].encode()).decode("latin-1")
            path = "".join(c if 0x20 < ord(c) < 0x7F else "%%%02x" % ord(c) for c in path)[:8000]
        answer = server.send(method, path, data, content_type)
        sent += answer[2]
    return answer[0], answer[1], sent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wait", type=float, default=30, help="seconds until memory must be back")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_intermixed_args()
    cases = {
        "defaults-2000": lambda server: defaults(server, 2000),
        "defaults-20000": lambda server: defaults(server, 20_000),
        "unknown-keys": unknown_keys,
        "patterns": patterns,
        "inserts": inserts,
        "watches": watches,
        "appliers": appliers,
        "empty-maps": empty_maps,
        "mutated": lambda server: mutated(server, arguments.requests, arguments.seed),
    }
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    failed = False
    mib = 1 << 20
    print(f"{'case':<16} {'answer':>6} {'sent MiB':>9} {'time s':>7} {'healthz ms':>10} {'peak MiB':>9} {'left MiB':>9}")
    for name, case in cases.items():
        if arguments.names and name not in arguments.names:
            continue
        # A server of its own, so that no case pays for another.
        server = Server(arguments.binary)
        base = server.memory("VmRSS")
        server.reset_peak()
        stop, longest = multiprocessing.Event(), multiprocessing.Value("d", 0.0)
        prober = multiprocessing.Process(target=probe, args=(server.port, stop, longest))
        prober.start()
        start = time.monotonic()
        try:
            code, text, sent = case(server)
        except (OSError, http.client.HTTPException) as error:
            code, text, sent = 0, repr(error).encode(), 0
        took = time.monotonic() - start
        peak = server.memory("VmHWM") - base
        # What the store holds on purpose: the objects that were written, and the log of their changes.
        kept = 2 * sent + 32 * mib
        end = time.monotonic() + arguments.wait
        while (left := server.memory("VmRSS") - base) > kept and time.monotonic() < end:
            time.sleep(0.5)
        stop.set()
        prober.join()
        faults = []
        if server.process.poll() is not None or code == 0:
            faults.append(f"no answer: {text[:200]!r}")
        if longest.value > LONGEST_WAIT:
            faults.append("healthz")
        if peak > PEAK_FACTOR * sent + PEAK_SLACK:
            faults.append("peak")
        if left > kept:
            faults.append("left")
        print(f"{name:<16} {code:>6} {sent / mib:>9.1f} {took:>7.1f} {longest.value * 1000:>10.0f} {peak / mib:>9.0f} {left / mib:>9.0f} {' '.join(faults)}", flush=True)
        failed |= bool(faults)
        server.stop()
    sys.exit(failed)


if __name__ == "__main__":
    main()
