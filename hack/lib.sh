# Sourced by the scripts of this folder and by .ci/run: the repository's path, skipping, and helpers for the generator, the real API
# server, kubectl and the archive of real CRDs.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The exit code of a script that cannot run because a tool or the network is missing: neither passed nor failed. hack/envtest.sh uses it
# too.
SKIPPED=3

# skip REASON: exits with the code $SKIPPED.
skip() {
  echo "$(basename "$0" .sh): $*: skipped" >&2
  exit "$SKIPPED"
}

# Skips the script if hack/envtest.sh cannot run a server.
need_real_server() {
  if [[ -z ${ENVTEST_KUBECONFIG:-}${KUBEBUILDER_ASSETS:-} && ! -x $root/target/envtest/envtest ]] && ! command -v go >/dev/null; then
    skip "no Go toolchain, KUBEBUILDER_ASSETS or ENVTEST_KUBECONFIG for the real kube-apiserver"
  fi
}

# As need_real_server, for tests that need garbage collection. Sets server_flags for hack/envtest.sh, so that a server that it starts has a
# garbage collector. For an existing cluster, CONFORMANCE_CONTROLLERS must tell whether it has one.
need_collecting_server() {
  need_real_server
  server_flags=()
  if [[ -z ${ENVTEST_KUBECONFIG:-}${KUBEBUILDER_ASSETS:-} ]]; then
    server_flags=(--controller-manager)
    export CONFORMANCE_CONTROLLERS=1
  fi
}

# find_generator [--release]: sets KUBE_CODEGEN, unless it names a prebuilt program, to one built in place.
find_generator() {
  if [[ -n ${KUBE_CODEGEN:-} ]]; then return; fi
  local profile=debug options=()
  if [[ ${1:-} == --release ]]; then profile=release options=(--release -p kube-codegen); fi
  cargo build --quiet --locked --manifest-path "$root/Cargo.toml" "${options[@]}" --bin kube-codegen
  export KUBE_CODEGEN=${CARGO_TARGET_DIR:-$root/target}/$profile/kube-codegen
}

# Runs the generator in the current folder. KUBE_CODEGEN names a prebuilt binary; without it, the generator is built.
kube_codegen() {
  if [[ -n ${KUBE_CODEGEN:-} ]]; then
    "$KUBE_CODEGEN" "$@"
  else
    cargo run --quiet --locked --manifest-path "$root/Cargo.toml" --bin kube-codegen -- "$@"
  fi
}

minor_of() { "$1" version --client -o json 2>/dev/null | sed -nE 's/.*"minor": "([0-9]+).*/\1/p' | head -n 1; }

# Sets KUBECTL, unless it is set: the one in PATH if it is at most one minor version from the real server, else one built with Go. Skips the
# script if there is neither.
find_kubectl() {
  if [[ -n ${KUBECTL:-} ]]; then return; fi
  local server_minor path_minor
  server_minor=$(awk '$1 == "k8s.io/kubernetes" { split($2, v, "."); print v[2]; exit }' "$root/hack/envtest/go.mod")
  KUBECTL=$(command -v kubectl || true)
  if [[ -n $KUBECTL ]]; then
    path_minor=$(minor_of "$KUBECTL")
    if [[ -n $path_minor && $((server_minor - path_minor)) -le 1 && $((path_minor - server_minor)) -le 1 ]]; then return; fi
  fi
  if command -v go >/dev/null; then
    KUBECTL=$root/target/envtest/kubectl
    [[ -x $KUBECTL ]] || (cd "$root/hack/envtest" && GOFLAGS="${GOFLAGS:+$GOFLAGS }-p=2 -buildvcs=false" nice go build -o "$KUBECTL" ./cmd/kubectl) >&2
  elif [[ -z $KUBECTL ]]; then
    skip "neither a kubectl nor a Go toolchain to build one with"
  fi
}

# go_tool VARIABLE PROGRAM FOLDER PACKAGE: sets the variable to the program, which is built from a module below hack unless the variable names
# one. Skips the script if there is no Go toolchain.
go_tool() {
  if [[ -n ${!1:-} ]]; then return; fi
  if [[ ! -x $2 ]]; then
    command -v go >/dev/null || skip "no Go toolchain to build $(basename "$2") with"
    (cd "$root/hack/$3" && GOFLAGS="${GOFLAGS:+$GOFLAGS }-p=2 -buildvcs=false" nice go build -o "$2" "$4") >&2
  fi
  printf -v "$1" %s "$2"
}

# Of lines that begin with the name of a crate, prints those of crates whose API docs/policy.md covers.
covered() { grep -vE "^($(sed -nE 's/^\| `(.*)` \| nothing:.*/\1/p' "$root/docs/policy.md" | sed 's/`, `/|/g')) "; }

# Prints a port of 127.0.0.1 that is free.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# unpack_corpus TARGET: unpacks the archive of real CRDs ($CORPUS, or the one next to the project) below TARGET/corpus, and sets
# `public` to its folder. Fails if there is no archive.
unpack_corpus() {
  local archive=${CORPUS:-$root/../shared/corpus/crds.tar.xz}
  [[ -f $archive ]] || return 1
  public=$1/corpus/public
  if [[ ! -f $public/index.json || $archive -nt $public/index.json ]]; then
    mkdir -p "$1/corpus"
    tar -xJf "$archive" -C "$1/corpus"
    touch "$public/index.json"
  fi
}
