# The commands of the tour. Sourced by hack/kubectl-tour.sh, which defines `t` (print a command, run it, print its output and exit
# code), `k` (run a command silently), `watch_start` and `watch_stop`.

gadget() { printf '{"apiVersion":"tour.example.com/v1","kind":"Gadget","metadata":{"name":"%s"},"spec":%s}' "$1" "$2"; }
deployment() {
	printf '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":%s,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"%s"}]}}}}' "$1" "$2"
}

t create namespace tour
t get namespace tour
t create -f "$tour/objects.yaml"
t wait --for=condition=Established crd/gadgets.tour.example.com --timeout=20s
until k get gadgets -n tour >/dev/null 2>&1; do sleep 0.2; done
t api-resources --api-group=tour.example.com
t api-resources --api-group=tour.example.com -o wide
t api-resources --api-group=coordination.k8s.io
t api-resources --api-group=batch -o name
t get crd gadgets.tour.example.com
until k explain gadgets.spec >/dev/null 2>&1; do sleep 0.2; done
t explain gadgets --recursive
t explain gadgets.spec
t explain gadget.metadata.labels
t explain gadgets.spec.nothing
t explain leases --recursive
t explain configmaps.data

# Built-in kinds.
t create configmap settings --from-literal=color=red
t create configmap settings --from-literal=color=blue
t get configmap settings
t get configmap settings -o wide
t get configmap settings -o name
t get configmap settings -o yaml
t get configmap settings -o json
t get configmap settings -o "jsonpath={.data.color}"
t get configmap settings --show-labels
t get configmap settings -o custom-columns=NAME:.metadata.name,COLOR:.data.color
t get configmap missing
t get gizmos
t label configmap settings tier=one
t label configmap settings tier=two
t label configmap settings tier=two --overwrite
t label configmap settings tier-
t annotate configmap settings note=hello
t annotate configmap settings note-
t patch configmap settings --type merge -p '{"data":{"size":"large"}}'
t patch configmap settings --type merge -p '{"data":{"size":"large"}}'
t patch configmap settings --type json -p '[{"op":"replace","path":"/data/color","value":"green"}]'
t patch configmap settings --type json -p '[{"op":"test","path":"/data/color","value":"red"}]'
t get configmap settings -o "jsonpath={.data}"
t create secret generic password --from-literal=word=hunter2
t get secret password
t get secret password -o "jsonpath={.data.word}"
t create serviceaccount robot
t create service clusterip web --tcp=80:8080
t get service web -o "jsonpath={.spec.ports[0].port}"
t create role reader --verb=get --resource=pods
t create rolebinding readers --role=reader --serviceaccount=tour:robot
t get role,rolebinding -o name

# Deployments: create, scale, replace.
t create -f - <<<"$(deployment 1 web:1)"
t get deployment web
t get deployment web -o wide
t scale deployment web --replicas=3
t get deployment web -o "jsonpath={.spec.replicas} {.metadata.generation}"
t scale deployment web --replicas=2 --current-replicas=5
t replace -f - <<<"$(deployment 2 web:2)"
t get deployment web -o wide
t get all
t delete deployment web
t get deployment web

# Server-side apply.
t apply --server-side -f - <<<"$(gadget one '{"size":"small"}')"
t apply --server-side -f - <<<"$(gadget one '{"size":"small"}')"
t apply --server-side --field-manager=other -f - <<<"$(gadget one '{"size":"large"}')"
t apply --server-side --field-manager=other --force-conflicts -f - <<<"$(gadget one '{"size":"large","tags":["a"]}')"
t apply --server-side --dry-run=server -f - <<<"$(gadget two '{"size":"small"}')"
t get gadgets
t get gadget one -o yaml --show-managed-fields
t get gadgets -o wide
t get gd -o name
t get tour

# Validation.
t create -f - <<<"$(gadget bad '{"size":"medium"}')"
t create -f - <<<"$(gadget bad '{"size":"small","sise":1}')"
t create --validate=warn -f - <<<"$(gadget warned '{"size":"small","sise":1}')"
t create -f - <<<"$(gadget Bad_Name '{"size":"small"}')"
t create --dry-run=server -o yaml -f - <<<"$(gadget dry '{"size":"small"}')"

# Subresources, conditions and waiting.
t scale gadget one --replicas=4
t get gadget one --subresource=status -o "jsonpath={.spec.replicas}"
t patch gadget one --subresource=status --type merge -p '{"status":{"phase":"Ready","conditions":[{"type":"Ready","status":"True"}]}}'
t wait --for=condition=Ready gadget/one --timeout=5s
t wait --for=jsonpath='{.status.phase}'=Ready gadget/one --timeout=5s
t wait --for=condition=Absent gadget/one --timeout=1s
t get gadgets
t describe gadget one

# Watches.
watch_start get gadgets --watch-only --output-watch-events
t label gadget one seen=yes
t create -f - <<<"$(gadget three '{"size":"large"}')"
t delete gadget three
watch_stop 3
t get gadgets -l seen=yes -o name
t get gadgets --field-selector metadata.name=warned -o name
t get gadgets --sort-by .metadata.name -o name
t get gadgets --chunk-size=1 -o name

# Deleting.
t patch gadget one --type merge -p '{"metadata":{"finalizers":["tour.example.com/hold"]}}'
t delete gadget one --wait=false
t get gadget one -o "jsonpath={.metadata.finalizers}"
t patch gadget one --type merge -p '{"metadata":{"finalizers":null}}'
t wait --for=delete gadget/one --timeout=5s
t delete gadget one
t delete gadget one --ignore-not-found
t delete gadgets --all
t delete configmap -l absent=yes
t delete configmap settings
t delete crd gadgets.tour.example.com
t get crd gadgets.tour.example.com
