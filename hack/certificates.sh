#!/usr/bin/env bash
# Compares the verdicts of a Go client on certificates of webhooks with testdata/certificates/verdicts.tsv, to which the embedded server is
# held. The cases are those of apiserver/tests/apiserver/server/certificates.rs.
#
#   hack/certificates.sh [--update]
#
# Needs Go.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

command -v go >/dev/null || skip "no Go toolchain"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CERTIFICATE_CASES="$folder/cases" cargo test -q --locked --test apiserver certificates_are_trusted_as_by_a_go_client >&2
(cd hack/certificates && go run . "$folder/cases") >"$folder/verdicts.tsv"
verdicts=testdata/certificates/verdicts.tsv
if [[ ${1:-} == --update ]]; then
	cp "$folder/verdicts.tsv" "$verdicts"
else
	diff -u "$verdicts" "$folder/verdicts.tsv" || { echo "certificates: Go's verdicts differ: run hack/certificates.sh --update" >&2; exit 1; }
fi
