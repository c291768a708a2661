//! Clients generated from CRDs: our own with every feature, and those of real projects, with their CRDs and samples as published.

use golden_features::apis::features::v1::{EverythingMode, EverythingStatus};
use kube::Client;
use kube::api::ListParams;
use serde_json::json;

use crate::common::{
    delete_collection, every_verb, informer_follows, named, post, scale_verbs, status_verbs, typed,
};
use crate::definitions::{Definition, read};
use crate::harness::cases;
use crate::support::namespace;

cases![
    everythings,
    certificates_of_cert_manager,
    http_routes_of_the_gateway_api,
    virtual_machines_of_kubevirt,
    workflows_of_argo,
];

fn sample<K: serde::de::DeserializeOwned>(path: &str) -> K {
    typed(&read(&format!("samples/{path}")))
}

async fn everythings(client: Client) {
    let crd = Definition::read("features/everything.features.example.com.yaml");
    crd.without_rules().install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_features::generated::clientset::Clientset::new(client);
    let everythings = || clientset.features_v1().everythings(&namespace);
    let thing = || -> golden_features::apis::features::v1::Everything {
        serde_json::from_value(json!({
            "apiVersion": "features.example.com/v1", "kind": "Everything", "metadata": {},
            "spec": {"mode": "Fast", "port": 80, "forced": null},
        }))
        .unwrap()
    };
    let status = || {
        Some(Some(EverythingStatus {
            replicas: Some(1),
            ..EverythingStatus::default()
        }))
    };
    every_verb!(everythings(), thing());
    delete_collection!(everythings(), thing());
    status_verbs!(everythings(), thing(), status(), {"replicas": 2});
    let made = everythings()
        .create(&named(thing(), "scaled"), &post())
        .await
        .unwrap();
    assert_eq!(made.spec.limit, Some(10), "the server's default");
    scale_verbs!(everythings(), "scaled");
    let mut slow = named(thing(), "slow");
    slow.spec.mode = EverythingMode::Slow;
    everythings().create(&slow, &post()).await.unwrap();
    let selected = ListParams::default().fields("spec.mode=Slow");
    assert_eq!(everythings().list(&selected).await.unwrap().items.len(), 1);
    let old = clientset.features_v1beta1().everythings(&namespace);
    let same = old.get("slow").await.unwrap();
    assert_eq!(same.unknown_fields["spec"]["mode"], "Slow");
    informer_follows!(
        golden_features::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.features().v1().everythings(),
        everythings(),
        thing(),
    );
}

async fn certificates_of_cert_manager(client: Client) {
    let crd = Definition::read("cert-manager/certificates.cert-manager.io.yaml");
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_cert_manager::generated::clientset::Clientset::new(client);
    let certificates = || clientset.cert_manager_v1().certificates(&namespace);
    let certificate = || -> golden_cert_manager::apis::cert_manager::v1::Certificate {
        sample("cert-manager/Certificate-1.yaml")
    };
    every_verb!(certificates(), certificate());
    delete_collection!(certificates(), certificate());
    informer_follows!(
        golden_cert_manager::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.cert_manager().v1().certificates(),
        certificates(),
        certificate(),
    );
}

async fn http_routes_of_the_gateway_api(client: Client) {
    let crd = Definition::read("gateway-api/httproutes.gateway.networking.k8s.io.yaml");
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_gateway_api::generated::clientset::Clientset::new(client);
    let routes = || clientset.gateway_v1().http_routes(&namespace);
    let route = || -> golden_gateway_api::apis::gateway::v1::HTTPRoute {
        sample("gateway-api/HTTPRoute-5.yaml")
    };
    every_verb!(routes(), route());
    delete_collection!(routes(), route());
    informer_follows!(
        golden_gateway_api::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.gateway().v1().http_routes(),
        routes(),
        route(),
    );
}

async fn virtual_machines_of_kubevirt(client: Client) {
    let crd = Definition::read("kubevirt/virtualmachines.kubevirt.io.yaml");
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_kubevirt::generated::clientset::Clientset::new(client);
    let vms = || clientset.kubevirt_v1().virtual_machines(&namespace);
    let vm = || -> golden_kubevirt::apis::kubevirt::v1::VirtualMachine {
        sample("kubevirt/VirtualMachine-5.yaml")
    };
    every_verb!(vms(), vm());
    delete_collection!(vms(), vm());
    informer_follows!(
        golden_kubevirt::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.kubevirt().v1().virtual_machines(),
        vms(),
        vm(),
    );
}

async fn workflows_of_argo(client: Client) {
    let crd = Definition::read("argo-workflows/workflows.argoproj.io.yaml");
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_argo_workflows::generated::clientset::Clientset::new(client);
    let workflows = || clientset.argoproj_v1alpha1().workflows(&namespace);
    let workflow = || -> golden_argo_workflows::apis::argoproj::v1alpha1::Workflow {
        sample("argo-workflows/Workflow-22.yaml")
    };
    every_verb!(workflows(), workflow());
    delete_collection!(workflows(), workflow());
    informer_follows!(
        golden_argo_workflows::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.argoproj().v1alpha1().workflows(),
        workflows(),
        workflow(),
    );
}
