"""Checks a kopf operator against the server of KUBECONFIG: its handlers, finalizer, status and shutdown."""

import asyncio
import threading
import time

import kopf
from checks import check
from client import DEFINITION, GROUP, PLURAL, VERSION, WIDGET, expect
from kubernetes import client, config

NAMESPACE = "default"
KEY = (GROUP, VERSION, NAMESPACE, PLURAL)
seen = []


@kopf.on.create(GROUP, VERSION, PLURAL)
def created(body, spec, patch, **_):
    seen.append(("create", spec["size"]))
    kopf.info(body, reason="Created", message="a widget")
    patch.status["size"] = spec["size"]


@kopf.on.update(GROUP, VERSION, PLURAL)
def updated(spec, **_):
    seen.append(("update", spec["size"]))


@kopf.on.delete(GROUP, VERSION, PLURAL)
def deleted(spec, **_):
    seen.append(("delete", spec["size"]))


@kopf.on.event("", "v1", "configmaps", labels={"app": "kopf"})
def config_map_event(event, **_):
    seen.append(("event", event["type"]))


def wait_for(what, condition):
    """Waits up to 10 s, then raises an AssertionError that names the missing event."""
    deadline = time.monotonic() + 10
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"no {what} in 10 s; seen {seen}")
        time.sleep(0.05)


def start():
    """Runs the operator in a thread. Returns a function that stops it."""
    ready, stop = threading.Event(), threading.Event()
    thread = threading.Thread(
        target=lambda: asyncio.run(
            kopf.operator(
                namespaces=[NAMESPACE], standalone=True, ready_flag=ready, stop_flag=stop
            )
        )
    )
    thread.start()

    def end():
        stop.set()
        thread.join(10)
        if thread.is_alive():
            raise AssertionError("the operator does not end")

    return ready, end


def names(objects):
    return [item["metadata"]["name"] for item in objects.list_namespaced_custom_object(*KEY)["items"]]


def life_of_a_widget(objects):
    def get():
        return objects.get_namespaced_custom_object(*KEY, "a")

    with check("create: the handler runs"):
        objects.create_namespaced_custom_object(*KEY, WIDGET)
        wait_for("call", lambda: ("create", 1) in seen)
    with check("create: a finalizer is set"):
        wait_for("finalizer", lambda: get()["metadata"].get("finalizers"))
    with check("create: the status is patched"):
        wait_for("status", lambda: get().get("status", {}).get("size") == 1)
    with check("update: the handler runs"):
        objects.patch_namespaced_custom_object(*KEY, "a", {"spec": {"size": 2}})
        wait_for("call", lambda: ("update", 2) in seen)
    with check("delete: the handler runs, the finalizer goes"):
        objects.delete_namespaced_custom_object(*KEY, "a")
        wait_for("end", lambda: not names(objects))
        expect([entry for entry in seen if entry[0] == "delete"], [("delete", 2)])


def main():
    config.load_kube_config()
    api = client.ApiClient()
    core = client.CoreV1Api(api)
    client.ApiextensionsV1Api(api).create_custom_resource_definition(DEFINITION)
    ready, end = start()
    with check("start: discover, list and watch"):
        if not ready.wait(15):
            raise AssertionError("not ready in 15 s")
    life_of_a_widget(client.CustomObjectsApi(api))
    with check("watch of a built-in kind by label"):
        metadata = client.V1ObjectMeta(name="kopf", labels={"app": "kopf"})
        core.create_namespaced_config_map(NAMESPACE, client.V1ConfigMap(metadata=metadata))
        wait_for("event", lambda: ("event", "ADDED") in seen)
        core.delete_namespaced_config_map("kopf", NAMESPACE)
        wait_for("event", lambda: ("event", "DELETED") in seen)
    with check("events are recorded"):
        wait_for("event", lambda: any(
            (event.involved_object.kind, event.reason) == ("Widget", "Created")
            for event in core.list_namespaced_event(NAMESPACE).items
        ))
    with check("stop"):
        end()


if __name__ == "__main__":
    main()
