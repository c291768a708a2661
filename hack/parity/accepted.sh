#!/usr/bin/env bash
# Creates every role and webhook configuration that we generate on the real kube-apiserver and reads it back: each field must be
# unchanged. Exits with 3 if the real server cannot be run (see hack/envtest.sh).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [[ ${1:-} != --inside ]]; then
	exec "$root/hack/envtest.sh" run -- "${BASH_SOURCE[0]}" --inside
fi
kubectl=$root/target/envtest/kubectl
[[ -x $kubectl ]] || kubectl=kubectl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Those generated for all of testdata/crate-markers, and the roles for users of an API.
cargo build -q --bin kube-codegen --example crate_markers --manifest-path "$root/Cargo.toml"
bin=${CARGO_TARGET_DIR:-$root/target}/debug
for folder in "$root"/testdata/crate-markers/*/; do
	name=$(basename "$folder")
	mkdir -p "$work/$name"
	ls "$folder"*.rs | "$bin/examples/crate_markers" "$work/$name" strict >/dev/null
done
cp -r "$root/testdata/apis/virtualmachine" "$work/api"
printf '[[crate]]\n[crate.rust]\n[crate.manifests]\ncrds = ""\nuser-roles = "users"\n' >"$work/api/codegen.toml"
(cd "$work/api" && "$bin/kube-codegen" manifests >/dev/null)
cp "$root/controllers/virtualmachine/deploy/role.yaml" "$work/virtualmachine.yaml"

count=0
while IFS= read -r file; do
	sed -n 's/^  namespace: //p' "$file" | sort -u | while read -r namespace; do
		"$kubectl" create namespace "$namespace" >/dev/null 2>&1 || true
	done
	"$kubectl" create -f "$file" >/dev/null
	"$kubectl" get -f "$file" -o json >"$work/stored.json"
	python3 - "$file" "$work/stored.json" <<-'PYTHON'
		import json, sys, yaml

		def missing(written, stored, path):
		    if isinstance(written, dict):
		        if not isinstance(stored, dict):
		            return [path]
		        return [lost for key in written for lost in missing(written[key], stored.get(key), f"{path}.{key}")]
		    if isinstance(written, list):
		        if not isinstance(stored, list) or len(stored) != len(written):
		            return [path]
		        return [lost for index, (one, two) in enumerate(zip(written, stored)) for lost in missing(one, two, f"{path}[{index}]")]
		    return [] if written == stored else [f"{path}: {written!r}, stored {stored!r}"]

		written = [document for document in yaml.safe_load_all(open(sys.argv[1])) if document]
		stored = json.load(open(sys.argv[2]))
		stored = stored["items"] if stored["kind"] == "List" else [stored]
		assert len(written) == len(stored), "documents are missing"
		lost = [lost for pair in zip(written, stored) for lost in missing(*pair, pair[0]["metadata"]["name"])]
		if lost:
		    sys.exit(f"{sys.argv[1]}: " + "\n".join(lost))
	PYTHON
	documents=$(grep -c '^---$' "$file")
	count=$((count + documents))
	"$kubectl" delete -f "$file" >/dev/null
done < <(find "$work" -name '*.yaml' -not -path '*/deploy/*' | sort)
echo "$count roles and webhook configurations are stored as they were written"
