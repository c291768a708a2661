//! `cargo run -p codegen -- …`: `kube-codegen`, by the short name of its folder.

fn main() -> ! {
    kube_codegen::cli::run()
}
