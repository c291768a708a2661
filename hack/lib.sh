# Shared by the scripts of this folder: where the repository is, and how its generator is run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Runs the generator in the current folder. KUBE_CODEGEN names a built one to use instead of building it here.
kube_codegen() {
  if [[ -n ${KUBE_CODEGEN:-} ]]; then
    "$KUBE_CODEGEN" "$@"
  else
    cargo run --quiet --locked --manifest-path "$root/Cargo.toml" -p codegen --bin kube-codegen -- "$@"
  fi
}
