//! The generated client, lister, informer and scheme against a recorded API server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codegen_runtime::fake::{ApiError, Reaction, Tracker};
use codegen_runtime::k8s_openapi::List;
use codegen_runtime::kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use codegen_runtime::kube::core::Selector;
use codegen_runtime::quantity::Quantity;
use codegen_runtime::scheme::Scheme;
use golden_virtualmachine::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase, VirtualMachineStatus, zz_generated_register as register,
};
use golden_virtualmachine::generated::clientset::{Clientset, fake, scheme};
use golden_virtualmachine::generated::informers::{EventHandler, SharedInformerFactory};
use serde_json::json;
use tokio_util::sync::CancellationToken;

const SAMPLE: &str = "
apiVersion: cloudnative.czs/v1alpha1
kind: VirtualMachine
metadata:
  name: test-vm
  namespace: default
spec:
  action: active
  resource:
    cpu: 2
    memory: 4G
    rootDisk: 40G
";

fn sample() -> VirtualMachine {
    let mut scheme = Scheme::new();
    scheme::add_to_scheme(&mut scheme).unwrap();
    let object = scheme.decode(SAMPLE).unwrap();
    object.downcast::<VirtualMachine>().unwrap()
}

fn verbs(tracker: &Tracker) -> Vec<String> {
    let actions = tracker.actions();
    actions
        .iter()
        .map(|action| match action.subresource.as_str() {
            "" => format!("{} {}", action.verb, action.resource),
            subresource => format!("{} {}/{subresource}", action.verb, action.resource),
        })
        .collect()
}

#[test]
fn the_sample_decodes_from_json_as_from_yaml() {
    let resource = json!({ "cpu": 2, "memory": "4G", "rootDisk": "40G" });
    let value = json!({
        "apiVersion": "cloudnative.czs/v1alpha1",
        "kind": "VirtualMachine",
        "metadata": { "name": "test-vm", "namespace": "default" },
        "spec": { "action": "active", "resource": resource },
    });
    let vm: VirtualMachine = serde_json::from_value(value).unwrap();
    assert_eq!(vm, sample());
}

#[tokio::test]
async fn applies_own_the_fields_of_their_configuration() {
    let (clientset, tracker) = fake::Clientset::empty();
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let mut vm = sample();
    vm.status = Some(VirtualMachineStatus {
        phase: VirtualMachinePhase::Active,
        ..VirtualMachineStatus::default()
    });
    let params = PatchParams::apply("tester");

    let applied = vms.apply(&vm, &params).await.unwrap();
    assert_eq!(applied.status, None, "the status is not applied");
    let applied = vms.apply_status(&vm, &params).await.unwrap();
    assert_eq!(applied.status, vm.status);
    let action = json!({ "metadata": { "name": "test-vm" }, "spec": { "action": "stopped" } });
    let other = vms.apply(&action, &PatchParams::apply("other")).await;
    assert!(other.unwrap_err().to_string().contains("conflict"));
    let forced = PatchParams::apply("other").force();
    let stopped = vms.apply(&action, &forced).await.unwrap();
    assert_eq!(stopped.spec.action, "stopped");
    assert_eq!(stopped.spec.resource, vm.spec.resource);
    assert_eq!(
        verbs(&tracker),
        [
            "patch virtualmachines",
            "patch virtualmachines/status",
            "patch virtualmachines",
            "patch virtualmachines",
        ]
    );
}

#[tokio::test]
async fn the_client_offers_every_verb() {
    let (clientset, tracker) = fake::Clientset::empty();
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");

    let mut vm = vms.create(&sample(), &PostParams::default()).await.unwrap();
    assert_eq!(vm.spec.resource["cpu"], Quantity::new("2"));
    vm.status = Some(VirtualMachineStatus {
        phase: VirtualMachinePhase::Creating,
        ..VirtualMachineStatus::default()
    });
    vms.update_status(&vm, &PostParams::default())
        .await
        .unwrap();
    let mut vm = vms.get("test-vm").await.unwrap();
    assert_eq!(
        vm.status.as_ref().map(|status| &status.phase),
        Some(&VirtualMachinePhase::Creating)
    );
    vm.spec.action = "stopped".to_owned();
    vms.update(&vm, &PostParams::default()).await.unwrap();
    let patch = Patch::Merge(json!({ "spec": { "action": "active" } }));
    vms.patch("test-vm", &PatchParams::default(), &patch)
        .await
        .unwrap();
    let list = vms.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items[0].spec.action, "active");
    vms.delete("test-vm", &DeleteParams::default())
        .await
        .unwrap();
    assert!(vms.get_opt("test-vm").await.unwrap().is_none());

    assert_eq!(
        verbs(&tracker),
        [
            "create virtualmachines",
            "update virtualmachines/status",
            "get virtualmachines",
            "update virtualmachines",
            "patch virtualmachines",
            "list virtualmachines",
            "delete virtualmachines",
            "get virtualmachines",
        ]
    );
}

#[tokio::test]
async fn a_reactor_fails_a_call() {
    let (clientset, tracker) = fake::Clientset::with_objects([sample()]);
    tracker.prepend_reactor("update", "virtualmachines", |action| {
        Reaction::Fail(ApiError::bad_request(format!("no {}", action.name)))
    });
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let vm = vms.get("test-vm").await.unwrap();
    let error = vms.update(&vm, &PostParams::default()).await.unwrap_err();
    assert!(error.to_string().contains("no test-vm"), "{error}");
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl EventHandler<VirtualMachine> for Seen {
    fn on_add(&self, vm: &Arc<VirtualMachine>, _is_in_initial_list: bool) {
        let name = vm.metadata.name.clone().unwrap_or_default();
        self.0.lock().unwrap().push(name);
    }
}

#[tokio::test]
async fn the_informer_fills_the_lister() {
    let (clientset, _) = fake::Clientset::with_objects([sample()]);
    let factory = SharedInformerFactory::builder(clientset.clone())
        .resync(Duration::from_secs(30))
        .build();
    let informer = factory.cloudnative().v1alpha1().virtual_machines();
    let seen = Seen::default();
    let registration = informer.informer().add_event_handler(seen.clone()).unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();

    let lister = informer.lister().unwrap();
    let vm: Arc<VirtualMachine> = lister.virtual_machines("default").get("test-vm").unwrap();
    assert_eq!(vm.spec.action, "active");
    let missing = lister.virtual_machines("other").get("test-vm").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "virtualmachines.cloudnative.czs \"test-vm\" not found"
    );

    let mut second = sample();
    second.metadata.name = Some("second".to_owned());
    let vms = clientset.cloudnative_v1alpha1().virtual_machines("default");
    let second = vms.create(&second, &PostParams::default()).await.unwrap();
    let version = second.metadata.resource_version.unwrap();
    let wait = lister.wait_for_resource_version(&version, Duration::from_secs(10));
    wait.await.unwrap();
    assert_eq!(lister.list(&Selector::default()).len(), 2);

    stop.cancel();
    factory.shutdown().await;
    assert!(registration.has_synced());
    assert_eq!(*seen.0.lock().unwrap(), ["test-vm", "second"]);
}

#[test]
fn the_root_says_what_it_is_and_checks_it() {
    let vm = sample();
    let json = serde_json::to_value(&vm).unwrap();
    assert_eq!(
        json,
        json!({
            "apiVersion": "cloudnative.czs/v1alpha1",
            "kind": "VirtualMachine",
            "metadata": { "name": "test-vm", "namespace": "default" },
            "spec": {
                "action": "active",
                "resource": { "cpu": "2", "memory": "4G", "rootDisk": "40G" },
            },
        })
    );
    assert_eq!(
        serde_json::from_value::<VirtualMachine>(json.clone()).unwrap(),
        vm.clone()
    );

    let mut other = json.clone();
    other["kind"] = "Pod".into();
    let error = serde_json::from_value::<VirtualMachine>(other).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid value: string \"Pod\", expected VirtualMachine"
    );
    let mut other = json;
    other["apiVersion"] = "v1".into();
    assert!(serde_json::from_value::<VirtualMachine>(other).is_err());
}

#[test]
fn lists_are_read_and_written() {
    let list = List {
        items: vec![sample()],
        ..List::default()
    };
    let json = serde_json::to_value(&list).unwrap();
    assert_eq!(json["kind"], "VirtualMachineList");
    assert_eq!(
        serde_json::from_value::<List<VirtualMachine>>(json).unwrap(),
        list
    );
}

#[test]
fn names_are_registered() {
    assert_eq!(
        register::group_version().api_version(),
        "cloudnative.czs/v1alpha1"
    );
    let kind = register::kind("VirtualMachine");
    assert_eq!(
        register::resource("virtualmachines").to_string(),
        "virtualmachines.cloudnative.czs"
    );
    let mut scheme = Scheme::new();
    register::add_to_scheme(&mut scheme).unwrap();
    assert!(scheme.recognizes(&kind));
}

#[tokio::test]
async fn a_clientset_is_made_of_a_client() {
    let (clientset, _) = fake::Clientset::empty();
    let again = Clientset::from(clientset.client().clone());
    let vms = again.cloudnative_v1alpha1().virtual_machines("");
    assert!(
        vms.list(&ListParams::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
}
