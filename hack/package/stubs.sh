# What stands for commands of docs/five-minutes.md in hack/package.sh.

# Installs without optimization, and ends a demo once it serves.
cargo() {
  case "$*" in
    "install "*) command cargo install --debug --quiet "${@:2}" ;;
    "run -- demo"*) demo ;;
    *) command cargo "$1" --quiet "${@:2}" ;;
  esac
}

# Runs the demo until it has printed the kubeconfig.
demo() {
  local out=demo.log pid status=1
  command cargo build --quiet
  : >"$out"
  command cargo run --quiet -- demo >"$out" 2>&1 &
  pid=$!
  for _ in {1..600}; do
    if grep -q kubeconfig "$out"; then
      status=0
      break
    fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  kill "$pid" 2>/dev/null || true
  wait "$pid" || true
  cat "$out"
  return "$status"
}

# A cluster with the CRDs in $CRDS.
kubectl() {
  [[ $* == "get crd -o yaml" ]] || return 1
  cat "$CRDS"/*.yaml
}
