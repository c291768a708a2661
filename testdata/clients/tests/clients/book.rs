//! The code of docs/annotated-rust.md, docs/apply.md and docs/validation.md, which quote it.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::apply::{Applier, ApplyConfiguration};
use codegen_runtime::informer::handler;
use codegen_runtime::kube::ResourceExt as _;
use codegen_runtime::kube::api::{PatchParams, PostParams};
use codegen_runtime::validation::Validate;
use golden_virtualmachine::apis::cloudnative::v1alpha1::VirtualMachine;
use golden_virtualmachine::generated::applyconfiguration::cloudnative::v1alpha1::{
    VirtualMachineApply, VirtualMachineSpecApply,
};
use golden_virtualmachine::generated::clientset::{Clientset, fake};
use golden_virtualmachine::generated::informers::SharedInformerFactory;
use serde_json::json;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error>;

fn machine() -> VirtualMachine {
    let resource = json!({"cpu": 2, "memory": "4G", "rootDisk": "40G"});
    serde_json::from_value(json!({
        "apiVersion": "cloudnative.czs/v1alpha1",
        "kind": "VirtualMachine",
        "metadata": {"name": "test-vm", "namespace": "default"},
        "spec": {"action": "active", "resource": resource},
    }))
    .unwrap()
}

async fn client(clientset: &Clientset) -> Result<(), Error> {
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let vm = vms.get("test-vm").await?; // only the verbs that the markers allow exist
    vms.update_status(&vm, &PostParams::default()).await?;
    Ok(())
}

async fn informer(clientset: Clientset, shutdown: &CancellationToken) -> Result<(), Error> {
    let factory = SharedInformerFactory::builder(clientset)
        .resync(Duration::from_secs(30))
        .build();
    let informer = factory.cloudnative().v1alpha1().virtual_machines();
    informer.informer().add_event_handler(
        handler::funcs::<VirtualMachine>().on_add(|vm, _| println!("{} is new", vm.name_any())),
    )?;
    factory.start(shutdown);
    factory.wait_for_cache_sync().await?;
    let lister = informer.lister()?;
    let vm: Arc<VirtualMachine> = lister.virtual_machines("default").get("test-vm")?;
    assert_eq!(vm.spec.action, "active");
    Ok(())
}

async fn apply(clientset: &Clientset) -> Result<(), Error> {
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let wanted = VirtualMachineApply::new("test-vm", "default")
        .labels([("tier", "web")])
        .spec(VirtualMachineSpecApply::default().action("active"));
    // The typed client; requires the verb `apply`.
    let stored = vms
        .apply(&wanted, &PatchParams::apply("vm-controller"))
        .await?;
    // Reports conflicts as a separate error.
    let applier = Applier::new("vm-controller").force();
    applier.apply(vms.api(), &wanted).await?;

    if let Some(mut mine) = VirtualMachineApply::extract(&stored, "vm-controller")? {
        // Gives up ownership; removes labels that nobody else owns.
        mine.metadata.labels = None;
        vms.apply(&mine, &PatchParams::apply("vm-controller"))
            .await?;
    }
    Ok(())
}

async fn upgrade(clientset: &Clientset) -> Result<(), Error> {
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let wanted = VirtualMachineApply::new("test-vm", "default");
    let applier = Applier::new("vm-controller").force();
    applier
        .upgrade(vms.api(), "test-vm", &["vm-controller"])
        .await?;
    applier.apply(vms.api(), &wanted).await?;
    Ok(())
}

fn validate(machine: &VirtualMachine, old: &VirtualMachine) -> Result<(), Error> {
    if let Err(errors) = machine.validate() {
        for error in errors.errors() {
            println!("{} {:?}: {error}", error.field, error.kind);
        }
    }
    // Checks transition rules (`oldSelf`), too, and ratchets: unchanged invalid values pass.
    machine.validate_update(old)?;
    Ok(())
}

#[tokio::test]
async fn the_code_of_the_pages_runs() {
    let (clientset, tracker) = fake::Clientset::with_objects([machine()]);
    client(&clientset).await.unwrap();
    let shutdown = CancellationToken::new();
    informer(clientset.clone(), &shutdown).await.unwrap();
    shutdown.cancel();

    apply(&clientset).await.unwrap();
    let stored: VirtualMachine = tracker.get("default", "test-vm").unwrap();
    assert_eq!(stored.metadata.labels, None, "given up, and nobody else's");
    upgrade(&clientset).await.unwrap();
    validate(&machine(), &machine()).unwrap();
}
