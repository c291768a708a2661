#!/usr/bin/env bash
# Checks what `kube-codegen create policy` writes: by it the embedded API server and the real one refuse what the rules of the schema refuse.
# These are taken out of the CRD, so that only the policy is left to refuse. The policy of PodBuggerTools is tried on the real server with users
# of different rights.
#
#   hack/policies.sh
#
# Needs jq, and the requirements of hack/envtest.sh.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

find_kubectl
work=$root/target/policies
types=src/apis/batch/v1/widget.rs

# try CONFIGURATION CHANGED EXPECTED: whether the sample with a change is created on the server.
try() {
	local kubectl=("$KUBECTL" --kubeconfig "$1") outcome=created
	jq "$2" "$work/sample.json" | "${kubectl[@]}" create -f - >"$work/said" 2>&1 || outcome=refused
	if [[ $outcome == created ]]; then "${kubectl[@]}" delete widgets.batch.example.com sample --wait=false >/dev/null; fi
	if [[ $outcome != "$3" ]]; then
		echo "failed: $2 is $outcome, expected $3: $(cat "$work/said")"
		return 1
	fi
}

# Installs CRD and policy on a server, and prints what is stored of the policy.
install() {
	"$KUBECTL" --kubeconfig "$1" apply --server-side -f "$2" >/dev/null
	"$KUBECTL" --kubeconfig "$1" wait --for=condition=Established crd/widgets.batch.example.com >/dev/null
	"$KUBECTL" --kubeconfig "$1" apply --server-side -f "$work/operator/config/policies/widget.yaml" >/dev/null
	"$KUBECTL" --kubeconfig "$1" get validatingadmissionpolicy,validatingadmissionpolicybinding widgets.batch.example.com -o name | wc -l
}

if [[ ${1:-} == --on ]]; then
	stored=$(install "$KUBECONFIG" "$work/without.json")
	[[ $stored == 2 ]] || { echo "failed: $stored objects are stored"; exit 1; }
	# Policies take effect a moment after they are stored.
	for _ in $(seq 60); do
		if try "$KUBECONFIG" '.spec.size = 3' refused >/dev/null; then break; fi
		sleep 0.5
	done
	failed=0
	try "$KUBECONFIG" '.spec.size = 3' refused || failed=1
	grep -q 'spec.size: the size is even' "$work/said" || { echo "failed: the message is $(cat "$work/said")"; failed=1; }
	try "$KUBECONFIG" '.spec.size = 4' created || failed=1
	try "$KUBECONFIG" '.spec.parts = [{"name": "a"}, {"name": "b c"}]' refused || failed=1
	try "$KUBECONFIG" '.spec.parts = [{"name": "a"}, {"name": "b"}]' created || failed=1
	"$KUBECTL" --kubeconfig "$KUBECONFIG" create -f "$work/sample.json" >/dev/null
	patch() { "$KUBECTL" --kubeconfig "$KUBECONFIG" patch widgets.batch.example.com sample --type=merge -p "$1" >"$work/said" 2>&1; }
	patch '{"spec":{"size":8}}' || { echo "failed: growing is refused: $(cat "$work/said")"; failed=1; }
	if patch '{"spec":{"size":6}}'; then echo "failed: shrinking is accepted"; failed=1; fi
	exit "$failed"
fi

cargo build --quiet --locked --manifest-path "$root/Cargo.toml" --bin kube-codegen --bin embedded-apiserver
programs=${CARGO_TARGET_DIR:-$root/target}/debug
rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$programs/kube-codegen" init operator --domain example.com --runtime '"0.1"' >/dev/null 2>&1
cd operator
"$programs/kube-codegen" create api --group batch --version v1 --kind Widget >/dev/null
cat >"$work/field" <<'FIELD'
    // +kubebuilder:validation:XValidation:rule="self % 2 == 0",message="the size is even"
    // +kubebuilder:validation:XValidation:rule="self >= oldSelf"
    pub size: i32,
    /// Its parts.
    // +kubebuilder:validation:MaxItems=8
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// A part.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Its name.
    // +kubebuilder:validation:MaxLength=20
    // +kubebuilder:validation:XValidation:rule="!self.contains(' ')"
    pub name: String,
FIELD
sed -i -e "/^    pub size: i32,/{r $work/field
d}" "$types"
"$programs/kube-codegen" generate >/dev/null
"$programs/kube-codegen" create policy --group batch --version v1 --kind Widget >/dev/null

"$KUBECTL" create --dry-run=client --validate=false -o json -f config/crd.yaml >"$work/with.json" 2>/dev/null ||
	"$KUBECTL" patch --local --type=merge -p '{}' -o json -f config/crd.yaml >"$work/with.json"
jq 'walk(if type == "object" then del(."x-kubernetes-validations") else . end)' "$work/with.json" >"$work/without.json"
jq -n '{apiVersion: "batch.example.com/v1", kind: "Widget", metadata: {name: "sample", namespace: "default"}, spec: {size: 4}}' >"$work/sample.json"

"$programs/embedded-apiserver" --listen 127.0.0.1:0 --kubeconfig "$work/embedded" >"$work/embedded.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do [[ -s $work/embedded ]] && break; sleep 0.1; done
"$KUBECTL" --kubeconfig "$work/embedded" apply --server-side -f "$work/with.json" >/dev/null
"$KUBECTL" --kubeconfig "$work/embedded" wait --for=condition=Established crd/widgets.batch.example.com >/dev/null
try "$work/embedded" '.spec.size = 3' refused

export KUBECTL
KUBECONFIG=$work/embedded "$root/hack/policies.sh" --on
"$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" --on
"$root/hack/envtest.sh" run -- "$root/hack/policies/creators.sh"
echo "policies: what the schema refuses, the policy refuses too"
