"""Checks Python's `kubernetes` client against the server of KUBECONFIG."""

from checks import check
from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "python"
GROUP, VERSION, PLURAL = "clients.example.com", "v1", "widgets"
WIDGET = {
    "apiVersion": f"{GROUP}/{VERSION}",
    "kind": "Widget",
    "metadata": {"name": "a"},
    "spec": {"size": 1},
}
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"size": {"type": "integer", "maximum": 9}},
                            },
                            "status": {
                                "type": "object",
                                "x-kubernetes-preserve-unknown-fields": True,
                            },
                        },
                    }
                },
            }
        ],
    },
}


def config_map(name, value):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data={"key": value})


def deployment():
    container = client.V1Container(name="c", image="registry.example/app:1")
    labels = {"app": "a"}
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name="a"),
        spec=client.V1DeploymentSpec(
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[container]),
            ),
        ),
    )


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r}, expected {expected!r}")


def expect_status(expected, call, *args):
    try:
        call(*args)
    except ApiException as error:
        expect(error.status, expected)
    else:
        raise AssertionError(f"no error, expected {expected}")


def typed_objects(core):
    with check("create a namespace"):
        core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    with check("create config maps"):
        for name in ("a", "b", "c"):
            created = core.create_namespaced_config_map(NAMESPACE, config_map(name, "1"))
            expect(created.data, {"key": "1"})
    with check("create what exists: 409"):
        expect_status(409, core.create_namespaced_config_map, NAMESPACE, config_map("a", "1"))
    with check("get what does not exist: 404"):
        expect_status(404, core.read_namespaced_config_map, "none", NAMESPACE)
    with check("list by field selector"):
        found = core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=b")
        expect([item.metadata.name for item in found.items], ["b"])
    with check("list in pages"):
        names, token = [], None
        while token != "":
            page = core.list_namespaced_config_map(NAMESPACE, limit=1, _continue=token)
            names += [item.metadata.name for item in page.items]
            token = page.metadata._continue or ""
        expect([name for name in names if name in "abc"], ["a", "b", "c"])
    with check("strategic merge patch"):
        patched = core.patch_namespaced_config_map("b", NAMESPACE, {"data": {"more": "2"}})
        expect(patched.data, {"key": "1", "more": "2"})
    with check("replace with a stale version: 409"):
        stale = core.read_namespaced_config_map("b", NAMESPACE)
        core.patch_namespaced_config_map("b", NAMESPACE, {"data": {"key": "3"}})
        expect_status(409, core.replace_namespaced_config_map, "b", NAMESPACE, stale)


def watches(core):
    with check("watch from a list's version"):
        listed = core.list_namespaced_config_map(NAMESPACE)
        core.create_namespaced_config_map(NAMESPACE, config_map("w", "1"))
        core.patch_namespaced_config_map("w", NAMESPACE, {"data": {"key": "2"}})
        core.delete_namespaced_config_map("w", NAMESPACE)
        stream = watch.Watch().stream(
            core.list_namespaced_config_map,
            NAMESPACE,
            resource_version=listed.metadata.resource_version,
            timeout_seconds=2,
        )
        seen = [(event["type"], event["object"].data["key"]) for event in stream]
        expect(seen, [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")])
    with check("watch from the present state"):
        stream = watch.Watch().stream(
            core.list_namespaced_config_map,
            NAMESPACE,
            field_selector="metadata.name=a",
            timeout_seconds=1,
        )
        expect([(event["type"], event["object"].metadata.name) for event in stream], [("ADDED", "a")])


def scale(apps):
    with check("create a deployment, with defaults"):
        created = apps.create_namespaced_deployment(NAMESPACE, deployment())
        expect(created.spec.replicas, 1)
        expect(created.spec.strategy.rolling_update.max_surge, "25%")
    with check("scale a deployment"):
        apps.patch_namespaced_deployment_scale("a", NAMESPACE, {"spec": {"replicas": 3}})
        expect(apps.read_namespaced_deployment("a", NAMESPACE).spec.replicas, 3)


def custom_objects(api):
    objects = client.CustomObjectsApi(api)
    with check("create a custom resource definition"):
        client.ApiextensionsV1Api(api).create_custom_resource_definition(DEFINITION)
    with check("create and list custom objects"):
        objects.create_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, WIDGET)
        found = objects.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL)
        expect([item["metadata"]["name"] for item in found["items"]], ["a"])
    with check("status of a custom object"):
        patch = {"status": {"phase": "Ready"}}
        patched = objects.patch_namespaced_custom_object_status(
            GROUP, VERSION, NAMESPACE, PLURAL, "a", patch
        )
        expect(patched["status"], {"phase": "Ready"})
    with check("custom object against its schema: 422"):
        wrong = {**WIDGET, "metadata": {"name": "b"}, "spec": {"size": 10}}
        expect_status(
            422, objects.create_namespaced_custom_object, GROUP, VERSION, NAMESPACE, PLURAL, wrong
        )


def dynamic_client(api):
    with check("dynamic client: discover and list"):
        widgets = dynamic.DynamicClient(api).resources.get(
            api_version=f"{GROUP}/{VERSION}", kind="Widget"
        )
        expect([item.metadata.name for item in widgets.get(namespace=NAMESPACE).items], ["a"])
    with check("dynamic client: apply"):
        applied = {**WIDGET, "metadata": {"name": "applied"}}
        result = widgets.server_side_apply(
            applied, namespace=NAMESPACE, field_manager="python", force_conflicts=True
        )
        expect(result.metadata.managedFields[0].operation, "Apply")
    with check("dynamic client: watch"):
        seen = [
            event["object"].metadata.name
            for event in widgets.watch(namespace=NAMESPACE, timeout=1)
        ]
        expect(seen, ["a", "applied"])


def main():
    config.load_kube_config()
    api = client.ApiClient()
    core = client.CoreV1Api(api)
    typed_objects(core)
    watches(core)
    scale(client.AppsV1Api(api))
    custom_objects(api)
    dynamic_client(api)
    with check("delete a collection"):
        core.delete_collection_namespaced_config_map(NAMESPACE, field_selector="metadata.name!=kube-root-ca.crt")
        names = [item.metadata.name for item in core.list_namespaced_config_map(NAMESPACE).items]
        expect(names, ["kube-root-ca.crt"])


if __name__ == "__main__":
    main()
