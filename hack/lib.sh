# Shared by the scripts of this folder: where the repository is, how its generator is run, which kubectl to use, and where the
# archive of real CRDs is.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Runs the generator in the current folder. KUBE_CODEGEN names a built one to use instead of building it here.
kube_codegen() {
  if [[ -n ${KUBE_CODEGEN:-} ]]; then
    "$KUBE_CODEGEN" "$@"
  else
    cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -p codegen --bin kube-codegen -- "$@"
  fi
}

minor_of() { "$1" version --client -o json 2>/dev/null | sed -nE 's/.*"minor": "([0-9]+).*/\1/p' | head -n 1; }

# Sets KUBECTL, unless it is set: the PATH's if it is at most one minor version from the real server's, else a built one.
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
    echo "there is neither a kubectl nor a Go toolchain to build one with" >&2
    return 1
  fi
}

# unpack_corpus TARGET: unpacks the archive of real CRDs ($CORPUS, or the one beside the project) below TARGET/corpus, and sets
# public to its folder. Fails if there is no archive.
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
