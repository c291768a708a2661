//! Generates the part of KubeVirt's API that the driver `kubevirt` needs, from KubeVirt's own CRDs.

use kube_codegen::Config;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let crds = ["virtualmachines", "virtualmachineinstances"];
    Config::new()
        .crds(crds.map(|plural| format!("../../testdata/crds/kubevirt/{plural}.kubevirt.io.yaml")))
        .version("v1")
        .names_file("kubevirt-names.toml")
        .base_path("crate::driver::kubevirt::api")
        .generate()?;
    Ok(())
}
