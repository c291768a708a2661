"""The kinds and their random objects: a valid object of each kind, and values that the server may accept or refuse."""

import copy

KINDS = {}


class Kind:
    """A kind: where it is served, how to create a valid object, and which values to try in which fields."""

    def __init__(self, name, group, version, plural, make, tries=(), cluster=False, sub=(), any_value=False, object_kind=None):
        self.name, self.group, self.version, self.plural, self.make, self.tries = name, group, version, plural, make, tries
        self.cluster, self.sub, self.any_value = cluster, sub, any_value
        # The kind in its objects, if the name here distinguishes two versions.
        self.object_kind = object_kind or name

    def api_version(self, run):
        group = self.group.replace("RUN", run)
        return f"{group}/{self.version}" if group else self.version

    def path(self, run, name=None, sub=None):
        root = f"/apis/{self.api_version(run)}" if self.group else f"/api/{self.version}"
        parts = [root] + ([] if self.cluster else ["namespaces", f"fuzz-{run}"]) + [self.plural] + [p for p in (name, sub) if p]
        return "/".join(parts)


def kind(name, group, version, plural, tries=(), **options):
    """Registers the decorated function as the factory of valid objects of a kind."""

    def register(make):
        KINDS[name] = Kind(name, group, version, plural, make, tries, **options)
        return make

    return register


LABEL_TRIES = [
    ("metadata.labels", {"a b": "c"}),
    ("metadata.labels", {"a": "-"}),
    ("metadata.labels", {"a": 1}),
    ("metadata.labels", None),
    ("metadata.labels.extra", "x" * 64),
    ("metadata.annotations", {"example.com/a": "b"}),
    ("metadata.annotations", {"a/b/c": "d"}),
    ("metadata.annotations", []),
    ("metadata.finalizers", ["example.com/hold"]),
    ("metadata.finalizers", ["hold", "example.com/hold"]),
    ("metadata.finalizers", ["a b"]),
    ("metadata.ownerReferences", [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "7"}]),
    ("metadata.ownerReferences", [{"apiVersion": "v1", "kind": "ConfigMap", "name": "a"}]),
    ("metadata.ownerReferences", [{"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "7"}]),
    ("metadata.generation", 7),
    ("metadata.selfLink", "/x"),
    ("metadata.creationTimestamp", "2001-01-01T00:00:00Z"),
    ("metadata.creationTimestamp", "yesterday"),
    ("metadata.deletionGracePeriodSeconds", 5),
    ("metadata.generateName", "gen-"),
    ("metadata.namespace", "elsewhere"),
    ("metadata.name", "Not_A_Name"),
    ("metadata.name", "x" * 254),
    ("metadata.uid", "11111111-1111-1111-1111-111111111111"),
    ("metadata.managedFields", []),
    ("metadata.managedFields", [{"manager": "m", "operation": "No"}]),
    ("metadata.unknown", True),
    ("metadata", None),
    ("metadata", "text"),
    ("unknown", {"a": 1}),
    ("apiVersion", "v9"),
    ("apiVersion", ""),
    ("kind", "Other"),
    ("kind", None),
]
VALUES = [None, "", "text", "é☃", "x" * 300, 0, -1, 1.5, 2**31, 2**63, True, [], {}, [None], {"a": None}, [{}], ["a", "a"], "2001-01-01T00:00:00Z", "10.0.0.1"]


def container(r):
    return {"name": "c", "image": r.choice(["nginx", "nginx:1.27", "registry.example.com/a@sha256:" + "0" * 64])}


def template(r, policy=None):
    spec = {"containers": [container(r)], **({"restartPolicy": policy} if policy else {})}
    if r.random() < 0.3:
        spec["containers"][0]["ports"] = [{"containerPort": r.choice([80, 8080]), "name": "http"}]
    if r.random() < 0.3:
        spec["containers"][0]["env"] = [{"name": "A", "value": "1"}, {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]
    if r.random() < 0.3:
        spec["volumes"] = [{"name": "v", **r.choice([{"emptyDir": {}}, {"configMap": {"name": "a"}}, {"secret": {"secretName": "a"}}])}]
        spec["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
    if r.random() < 0.2:
        spec["containers"][0]["readinessProbe"] = {"httpGet": {"path": "/", "port": 80}}
    return {"metadata": {"labels": {"app": "x"}}, "spec": spec}


def pod_tries(prefix):
    return [
        (prefix + "containers", []),
        (prefix + "containers", None),
        (prefix + "containers", {}),
        (prefix + "containers.0.name", "A_b"),
        (prefix + "containers.0.name", None),
        (prefix + "containers.0.image", ""),
        (prefix + "containers.0.image", 7),
        (prefix + "containers.0.ports", [{"containerPort": 0}]),
        (prefix + "containers.0.ports", [{"containerPort": 80, "protocol": "ICMP"}]),
        (prefix + "containers.0.volumeMounts", [{"name": "none", "mountPath": "/x"}]),
        (prefix + "containers.0.env", [{"name": "A", "value": 1}]),
        (prefix + "containers.0.imagePullPolicy", "Sometimes"),
        (prefix + "restartPolicy", "Never"),
        (prefix + "restartPolicy", "Maybe"),
        (prefix + "dnsPolicy", "Default"),
        (prefix + "terminationGracePeriodSeconds", 5),
        (prefix + "terminationGracePeriodSeconds", "5"),
        (prefix + "nodeSelector", {"a": "b"}),
        (prefix + "nodeSelector", {"a b": "c"}),
        (prefix + "unknown", 1),
        (prefix + "initContainers", [{"name": "c", "image": "x"}]),
        (prefix + "volumes", [{"name": "v"}, {"name": "v"}]),
    ]


SELECTOR_TRIES = [
    ("spec.selector", None),
    ("spec.selector", {}),
    ("spec.selector", {"matchLabels": {"app": "other"}}),
    ("spec.selector", {"matchExpressions": [{"key": "app", "operator": "In", "values": []}]}),
    ("spec.replicas", -1),
    ("spec.replicas", "2"),
    ("spec.replicas", None),
    ("spec.replicas", 3),
    ("spec.minReadySeconds", -1),
    ("spec.template.metadata.labels", {}),
    ("spec.template.spec.restartPolicy", "OnFailure"),
    ("status", {"replicas": -1}),
    ("status", {"replicas": 2, "readyReplicas": 1}),
]


def workload(r, **spec):
    return {"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": template(r), **spec}}


@kind("ConfigMap", "", "v1", "configmaps", [("data", {"a": 1}), ("data", {"a b": "c"}), ("data", []), ("binaryData", {"a": "AA=="}),
      ("binaryData", {"b": "%%"}), ("binaryData", {"b": "QQ=="}), ("immutable", True), ("immutable", "yes"), ("data.a", None), ("data", None)])
def config_map(r):
    return {"data": {k: r.choice(["1", "two", "é☃\n"]) for k in r.sample(["a", "b", "c.txt"], r.randint(0, 3))}}


@kind("Secret", "", "v1", "secrets", [("data", {"a": "%%"}), ("data", {"a": "QQ=="}), ("stringData", {"s": "text"}), ("stringData", {"s": 1}),
      ("type", "kubernetes.io/tls"), ("type", "kubernetes.io/dockerconfigjson"), ("type", "example.com/x"), ("type", "kubernetes.io/basic-auth"),
      ("type", "kubernetes.io/service-account-token"), ("immutable", True)])
def secret(r):
    return {"data": {"a": r.choice(["QQ==", "", "w6k="])}} if r.random() < 0.7 else {"stringData": {"s": "text"}}


@kind("Service", "", "v1", "services", [("spec.ports", []), ("spec.ports", [{"port": 0}]), ("spec.ports", [{"port": 80}, {"port": 81}]),
      ("spec.ports", [{"port": 80, "name": "A"}]), ("spec.ports", [{"port": 80, "protocol": "X"}]), ("spec.type", "NodePort"), ("spec.type", "LoadBalancer"),
      ("spec.type", "ExternalName"), ("spec.type", "Nothing"), ("spec.clusterIP", "None"), ("spec.clusterIP", "text"), ("spec.sessionAffinity", "ClientIP"),
      ("spec.sessionAffinity", "X"), ("spec.externalName", "example.com"), ("spec.selector", None), ("spec.ports.0.targetPort", "http"),
      ("spec.ports.0.targetPort", 0), ("spec.internalTrafficPolicy", "X"), ("spec.externalTrafficPolicy", "Local"), ("spec.ipFamilies", ["IPv6"]),
      ("spec.unknown", 1), ("status", {"loadBalancer": {"ingress": [{"ip": "10.1.1.1"}]}})], sub=("status",))
def service(r):
    return {"spec": {"selector": {"app": "x"}, "ports": [{"port": r.choice([80, 443]), "name": "main"}]}}


@kind("ServiceAccount", "", "v1", "serviceaccounts", [("automountServiceAccountToken", "no"), ("secrets", [{"name": "a"}, {"name": "a"}]), ("imagePullSecrets", [{}])])
def service_account(r):
    return {"automountServiceAccountToken": r.choice([True, False])}


@kind("Pod", "", "v1", "pods", pod_tries("spec.") + [("spec.nodeName", "n"), ("spec.activeDeadlineSeconds", 0), ("spec.tolerations", [{"operator": "X"}]),
      ("status", {"phase": "Running"}), ("status", {"phase": "X"}), ("status", {"conditions": [{"type": "Ready", "status": "True"}]}),
      ("spec.containers.0.image", "other:2"), ("spec.priority", 5), ("spec.priorityClassName", "none")], sub=("status",))
def pod(r):
    return {"metadata": {"labels": {"app": "x"}}, "spec": template(r)["spec"]}


@kind("Deployment", "apps", "v1", "deployments", SELECTOR_TRIES + pod_tries("spec.template.spec.") + [("spec.strategy", {"type": "Recreate"}),
      ("spec.strategy", {"type": "X"}), ("spec.strategy", {"rollingUpdate": {"maxSurge": "a"}}), ("spec.strategy", {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}),
      ("spec.strategy", {"type": "Recreate", "rollingUpdate": {"maxSurge": 1}}), ("spec.paused", True), ("spec.revisionHistoryLimit", -1),
      ("spec.progressDeadlineSeconds", 0)], sub=("status", "scale"))
def deployment(r):
    return workload(r, replicas=r.choice([0, 1, 3]))


@kind("ReplicaSet", "apps", "v1", "replicasets", SELECTOR_TRIES, sub=("status", "scale"))
def replica_set(r):
    return workload(r, replicas=1)


@kind("StatefulSet", "apps", "v1", "statefulsets", SELECTOR_TRIES + [("spec.serviceName", "other"), ("spec.podManagementPolicy", "X"), ("spec.podManagementPolicy", "Parallel"),
      ("spec.updateStrategy", {"type": "OnDelete"}), ("spec.updateStrategy", {"type": "X"}), ("spec.ordinals", {"start": -1}),
      ("spec.volumeClaimTemplates", [{"metadata": {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}])],
      sub=("status", "scale"))
def stateful_set(r):
    return workload(r, serviceName="s")


@kind("DaemonSet", "apps", "v1", "daemonsets", [t for t in SELECTOR_TRIES if "replicas" not in t[0] and t[0] != "status"] +
      [("spec.updateStrategy", {"type": "OnDelete"}), ("spec.updateStrategy", {"type": "X"})], sub=("status",))
def daemon_set(r):
    return workload(r)


@kind("Job", "batch", "v1", "jobs", pod_tries("spec.template.spec.") + [("spec.parallelism", -1), ("spec.completions", 2), ("spec.backoffLimit", -1), ("spec.suspend", True),
      ("spec.completionMode", "Indexed"), ("spec.completionMode", "X"), ("spec.manualSelector", True), ("spec.selector", {"matchLabels": {"a": "b"}}),
      ("spec.ttlSecondsAfterFinished", 5), ("spec.template.spec.restartPolicy", "Always")], sub=("status",))
def job(r):
    return {"spec": {"template": template(r, r.choice(["Never", "OnFailure"]))}}


@kind("CronJob", "batch", "v1", "cronjobs", [("spec.schedule", "never"), ("spec.schedule", ""), ("spec.concurrencyPolicy", "Forbid"), ("spec.concurrencyPolicy", "X"),
      ("spec.timeZone", "Europe/Zurich"), ("spec.timeZone", "Nowhere"), ("spec.successfulJobsHistoryLimit", -1), ("spec.startingDeadlineSeconds", -1),
      ("spec.jobTemplate.spec.template.spec.containers", []), ("spec.jobTemplate.spec.template.spec.containers.0.image", None)], sub=("status",))
def cron_job(r):
    return {"spec": {"schedule": r.choice(["* * * * *", "@hourly", "0 3 * * 1-5"]), "jobTemplate": {"spec": {"template": template(r, "Never")}}}}


@kind("Ingress", "networking.k8s.io", "v1", "ingresses", [("spec.rules.0.host", "*.example.com"), ("spec.rules.0.host", "10.0.0.1"), ("spec.rules.0.http.paths.0.pathType", None),
      ("spec.rules.0.http.paths.0.pathType", "X"), ("spec.rules.0.http.paths.0.path", "x"), ("spec.rules.0.http.paths.0.backend", {"service": {"port": {"number": 80}}}),
      ("spec.rules.0.http.paths.0.backend", {}), ("spec.ingressClassName", "A_"), ("spec.rules", []), ("spec.tls", [{"hosts": ["a b"]}])], sub=("status",))
def ingress(r):
    backend = {"service": {"name": "s", "port": r.choice([{"number": 80}, {"name": "http"}])}}
    return {"spec": {"rules": [{"host": "example.com", "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]}}


@kind("NetworkPolicy", "networking.k8s.io", "v1", "networkpolicies", [("spec.policyTypes", ["X"]), ("spec.policyTypes", ["Ingress", "Egress"]),
      ("spec.ingress", [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]), ("spec.ingress", [{"from": [{"ipBlock": {"cidr": "text"}}]}]), ("spec.ingress", [{"ports": [{"port": 0}]}]),
      ("spec.ingress", [{"from": [{}]}]), ("spec.podSelector", {"matchLabels": {"a b": "c"}})])
def network_policy(r):
    return {"spec": {"podSelector": {"matchLabels": {"app": "x"}}, "ingress": [{"ports": [{"port": 80}]}]}}


@kind("PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets", [("spec.minAvailable", "é☃"), ("spec.minAvailable", -1), ("spec.maxUnavailable", 1), ("spec.minAvailable", "50%"),
      ("spec.minAvailable", "150%"), ("spec.selector", {"matchLabels": {"a b": "c"}}), ("spec.selector", None), ("spec.unhealthyPodEvictionPolicy", "X")], sub=("status",))
def budget(r):
    return {"spec": {"minAvailable": r.choice([1, "50%"]), "selector": {"matchLabels": {"app": "x"}}}}


@kind("HorizontalPodAutoscaler", "autoscaling", "v2", "horizontalpodautoscalers", [("spec.minReplicas", 0), ("spec.maxReplicas", 0), ("spec.minReplicas", 9),
      ("spec.scaleTargetRef.name", None), ("spec.scaleTargetRef.kind", ""), ("spec.metrics", []), ("spec.metrics", [{"type": "X"}]),
      ("spec.metrics", [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]),
      ("spec.behavior", {"scaleDown": {"stabilizationWindowSeconds": 10}}), ("spec.behavior", {"scaleUp": {"policies": []}})], sub=("status",))
def autoscaler(r):
    return {"spec": {"maxReplicas": r.choice([3, 5]), "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}}}


@kind("Lease", "coordination.k8s.io", "v1", "leases", [("spec.leaseDurationSeconds", 0), ("spec.leaseTransitions", -1), ("spec.renewTime", "2026-01-02T03:04:05.000006Z"),
      ("spec.renewTime", "2026-01-02T03:04:05Z"), ("spec.renewTime", "now"), ("spec.holderIdentity", ""), ("spec.strategy", "X")])
def lease(r):
    return {"spec": {"holderIdentity": r.choice(["a", "b"]), "leaseDurationSeconds": 15}}


@kind("Role", "rbac.authorization.k8s.io", "v1", "roles", [("rules", []), ("rules", None), ("rules", [{"verbs": []}]), ("rules", [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]), ("rules.0.verbs", "get")])
def role(r):
    return {"rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": r.choice([["get"], ["get", "list"]])}]}


@kind("ClusterRole", "rbac.authorization.k8s.io", "v1", "clusterroles", [("rules", None), ("aggregationRule", {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}),
      ("aggregationRule", {"clusterRoleSelectors": []}), ("rules", [{"verbs": ["get"], "nonResourceURLs": ["/x"]}])], cluster=True)
def cluster_role(r):
    return role(r)


@kind("RoleBinding", "rbac.authorization.k8s.io", "v1", "rolebindings", [("roleRef.kind", "X"), ("roleRef.name", "other"), ("subjects.0.kind", "X"), ("subjects.0.name", ""), ("subjects", [])])
def role_binding(r):
    return {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"}, "subjects": [{"kind": r.choice(["User", "Group"]), "name": "u"}]}


@kind("PersistentVolumeClaim", "", "v1", "persistentvolumeclaims", [("spec.accessModes", []), ("spec.accessModes", ["X"]), ("spec.resources", {}), ("spec.storageClassName", "fast"),
      ("spec.resources.requests.storage", "2Gi"), ("spec.resources.requests.storage", "-1"), ("spec.resources.requests.storage", "much"), ("spec.volumeMode", "Block"),
      ("spec.volumeMode", "X")], sub=("status",))
def claim(r):
    return {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}


@kind("Endpoints", "", "v1", "endpoints", [("subsets", []), ("subsets.0.addresses.0.ip", "text"), ("subsets.0.ports.0.port", 0), ("subsets.0.addresses", [])])
def endpoints(r):
    return {"subsets": [{"addresses": [{"ip": r.choice(["10.1.2.3", "10.1.2.4"])}], "ports": [{"port": 80}]}]}


@kind("EndpointSlice", "discovery.k8s.io", "v1", "endpointslices", [("addressType", "IPv6"), ("addressType", "X"), ("endpoints", []), ("ports", [{"port": 0}]), ("endpoints.0.addresses", ["text"])])
def endpoint_slice(r):
    return {"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"]}], "ports": [{"name": r.choice(["", "http"]), "port": 80}]}


@kind("PriorityClass", "scheduling.k8s.io", "v1", "priorityclasses", [("value", 2_000_000_000), ("value", "1"), ("value", 7), ("preemptionPolicy", "Never"), ("preemptionPolicy", "X")], cluster=True)
def priority_class(r):
    return {"value": 5, "description": r.choice(["", "text"])}


@kind("StorageClass", "storage.k8s.io", "v1", "storageclasses", [("provisioner", ""), ("provisioner", "other"), ("reclaimPolicy", "Retain"), ("reclaimPolicy", "X"), ("volumeBindingMode", "X"),
      ("parameters", {"a": "b"}), ("mountOptions", ["x"]), ("allowVolumeExpansion", True)], cluster=True)
def storage_class(r):
    return {"provisioner": "example.com/p"}


def put(value, path, new):
    """Sets the value at a path, creating missing maps. Does nothing if the path does not fit the object."""
    *steps, last = path.split(".")
    for step in steps:
        if isinstance(value, list):
            value = value[int(step)] if step.isdigit() and int(step) < len(value) else None
        elif isinstance(value, dict):
            value = value.setdefault(step, {})
        if not isinstance(value, (dict, list)):
            return
    if isinstance(value, dict):
        value[last] = copy.deepcopy(new)
    elif last.isdigit() and int(last) < len(value):
        value[int(last)] = copy.deepcopy(new)


def paths(value, prefix=""):
    """Yields all paths of an object, except its metadata, apiVersion and kind."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        if prefix or key not in ("metadata", "apiVersion", "kind"):
            yield f"{prefix}{key}"
            yield from paths(below, f"{prefix}{key}.")


def random_object(r, kind, run, name, spoil):
    """Returns an object of a kind, with one or two trial values with the probability `spoil`."""
    made = kind.make(r)
    made["apiVersion"], made["kind"] = kind.api_version(run), kind.object_kind
    metadata = made.setdefault("metadata", {})
    metadata["name"] = name
    metadata.setdefault("labels", {}).update({"fuzz": run, "tier": r.choice(["front", "back"])})
    if r.random() < 0.2:
        metadata["annotations"] = {"example.com/note": r.choice(["1", "é"])}
    if r.random() < spoil:
        for _ in range(r.choice([1, 1, 1, 2])):
            put(made, *a_try(r, kind, made))
    return made


def a_try(r, kind, made):
    """Returns a path and a value to try there."""
    pick = r.random()
    found = list(paths(made)) if kind.any_value and pick < 0.45 else []
    if found:
        return r.choice(found), r.choice(VALUES)
    return r.choice(kind.tries if kind.tries and pick < 0.75 else LABEL_TRIES)
