//! Generates types, clients, listers and informers from the CRDs in `crds/`.

use kube_codegen::{Config, Generator};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    Config::new()
        .crds(["crds"])
        .emit(Generator::in_all().filter(|&generator| generator != Generator::Fake))
        .base_path("crate::kubernetes")
        .generate()?;
    Ok(())
}
