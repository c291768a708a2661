"""The two servers: the real kube-apiserver of a kubeconfig, and the embedded one as a process. Only loopback addresses are allowed."""

import base64
import http.client
import ipaddress
import json
import os
import re
import ssl
import subprocess
import tempfile
import time
import urllib.parse

TIMEOUT = 20  # seconds per request


class Server:
    """A server at a URL, with one connection that is reopened when it breaks."""

    def __init__(self, name, url, context=None, token=None):
        address = urllib.parse.urlsplit(url)
        if not ipaddress.ip_address("127.0.0.1" if address.hostname == "localhost" else address.hostname).is_loopback:
            raise SystemExit(f"fuzz-conformance: {url} is not on loopback")
        self.name, self.address, self.context = name, address, context
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.connection = None

    def send(self, method, path, query=(), body=None, content_type=None, accept="application/json"):
        """Returns the status code, the body (decoded if it is JSON) and the warnings of one request; code 0 if there was no response."""
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {**self.headers, "Accept": accept, "User-Agent": "fuzz"}
        if body is not None:
            headers["Content-Type"] = content_type or "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        for attempt in range(2):
            reused = self.connection is not None
            try:
                if not reused:
                    self.connection = self.connect()
                self.connection.request(method, target, body=body, headers=headers)
                response = self.connection.getresponse()
                text = response.read().decode("utf-8", "replace")
                break
            except (OSError, http.client.HTTPException) as error:
                self.connection.close()
                self.connection = None
                # Retry only on a reused connection: the server closed it while it was idle, before it read the request.
                if not (reused and attempt == 0 and isinstance(error, (http.client.RemoteDisconnected, ConnectionError))):
                    return 0, f"{type(error).__name__}: {error}", []
        try:
            answer = json.loads(text)
        except ValueError:
            answer = text
        return response.status, answer, response.headers.get_all("Warning") or []

    def connect(self):
        if self.address.scheme == "https":
            return http.client.HTTPSConnection(self.address.hostname, self.address.port, timeout=TIMEOUT, context=self.context)
        return http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=TIMEOUT)


def real(kubeconfig):
    """Returns the server of a YAML kubeconfig with one context, whose values are scalars on separate lines (or in flow mappings)."""
    with open(kubeconfig, encoding="utf-8") as file:
        text = file.read()

    def value(key):
        found = re.search(r"(?<![\w-])" + key + r""":\s*["']?([^\s"',}]+)""", text)
        return found.group(1) if found else None

    context = ssl.create_default_context()
    authority, certificate, key = value("certificate-authority-data"), value("client-certificate-data"), value("client-key-data")
    if value("insecure-skip-tls-verify") == "true":
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif authority:
        context.load_verify_locations(cadata=base64.b64decode(authority).decode())
    if certificate and key:
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("crt", certificate), ("key", key)):
                with open(os.open(f"{folder}/{name}", os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
                    file.write(base64.b64decode(data))
            context.load_cert_chain(f"{folder}/crt", f"{folder}/key")
    return Server("real", value("server"), context, value("token"))


class Embedded(Server):
    """The embedded server as a process. It ends with the `with` block."""

    def __init__(self, binary):
        # The real server runs without a controller manager, so this one runs without controllers.
        self.process = subprocess.Popen(
            [binary, "--listen", "127.0.0.1:0", "--controllers", "envtest"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            self.process.kill()
            raise SystemExit(f"fuzz-conformance: {binary} did not start: {line}")
        super().__init__("embedded", line.removeprefix("listening on ").strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=10)


def wait(condition, seconds=10):
    """Waits for a condition. Returns whether it became true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
