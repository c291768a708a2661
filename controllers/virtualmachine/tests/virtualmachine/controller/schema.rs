//! The CRD rejects what the controller would reject: numbers by its schema, strings by CEL rules.
//!
//! Runs on the embedded API server, or on the cluster of `CONFORMANCE_KUBECONFIG`.

use codegen_runtime::client::TypedClient;
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::core::{GroupVersionKind, discovery::ApiResource};
use codegen_runtime::kube::{self, Api, Client, Config};
use codegen_runtime::quantity::Quantity;
use embedded_apiserver::ApiServer;
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachineResource, VirtualMachineSpec,
};
use virtualmachine_controller::controller::server_spec;

const CRD: &str = include_str!("../../../deploy/crd.yaml");

/// Valid and invalid values of the three sizes; the other two are those of the sample.
fn cases() -> Vec<(&'static str, Value)> {
    let cpus = [
        json!(1),
        json!(1024),
        json!("2"),
        json!("2000m"),
        json!("1k"),
        json!("2.0"),
        json!("1e3"),
        json!(-1),
        json!(0),
        json!(1025),
        json!("0"),
        json!("1500m"),
        json!("1025"),
        json!("1Ki"),
        json!("2e9"),
        json!("1E"),
        json!("1n"),
        json!("0.5"),
        json!("-1"),
    ];
    let sizes = [
        json!(1 << 20),
        json!(1_u64 << 46),
        json!("1Mi"),
        json!("4G"),
        json!("1.5Gi"),
        json!("64Ti"),
        json!(-1),
        json!(0),
        json!((1 << 20) - 1),
        json!("0"),
        json!("4"),
        json!("4m"),
        json!("9E"),
        json!("-4G"),
        json!("1Ki"),
        json!("2Pi"),
    ];
    let mut cases: Vec<_> = cpus.into_iter().map(|value| ("cpu", value)).collect();
    for field in ["memory", "rootDisk"] {
        cases.extend(sizes.iter().map(|value| (field, value.clone())));
    }
    cases.push(("memory", json!((1_u64 << 46) + 1)));
    cases.push(("memory", json!("65Ti")));
    cases.push(("rootDisk", json!("1Pi")));
    cases.push(("rootDisk", json!((1_u64 << 50) + 1)));
    cases
}

fn resource(field: &str, value: &Value) -> Value {
    let mut resource = json!({ "cpu": 2, "memory": "4G", "rootDisk": "40G" });
    resource[field] = value.clone();
    resource
}

/// Whether the controller accepts it.
fn is_machine(resource: &Value) -> bool {
    let quantity = |field: &str| match &resource[field] {
        Value::String(text) => Quantity::new(text),
        other => Quantity::new(other.to_string()),
    };
    let resource = VirtualMachineResource {
        cpu: quantity("cpu"),
        memory: quantity("memory"),
        root_disk: quantity("rootDisk"),
    };
    let spec = VirtualMachineSpec {
        resource,
        ..VirtualMachineSpec::default()
    };
    server_spec(&spec).is_ok()
}

async fn real() -> Option<Client> {
    let kubeconfig = std::env::var("CONFORMANCE_KUBECONFIG").ok()?;
    let given = Kubeconfig::read_from(kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(given, &KubeConfigOptions::default()).await;
    let client = Client::try_from(config.unwrap()).unwrap();
    let crds = TypedClient::<CustomResourceDefinition>::cluster(client.clone());
    let crd: CustomResourceDefinition = serde_saphyr::from_str(CRD).unwrap();
    let name = crd.metadata.name.clone().unwrap();
    let apply = PatchParams::apply("test").force();
    crds.patch(&name, &apply, &Patch::Apply(&crd))
        .await
        .unwrap();
    Some(client)
}

#[tokio::test]
async fn the_schema_refuses_what_the_controller_would() {
    let real = real().await;
    let client = real.unwrap_or_else(|| {
        let crd: Value = serde_saphyr::from_str(CRD).unwrap();
        let server = ApiServer::builder().crd_values([crd]).build().unwrap();
        server.client()
    });
    let kind = GroupVersionKind::gvk("cloudnative.czs", "v1alpha1", "VirtualMachine");
    let machines: Api<DynamicObject> =
        Api::namespaced_with(client, "default", &ApiResource::from_gvk(&kind));
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    // A real server answers 404 without a `Status` until it serves a new CRD.
    let create = async |resource: &Value| {
        let object = json!({
            "apiVersion": "cloudnative.czs/v1alpha1",
            "kind": "VirtualMachine",
            "metadata": { "generateName": "size-" },
            "spec": { "resource": resource },
        });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let answer = async {
            loop {
                match machines.create(&dry, &object).await {
                    Err(kube::Error::Api(status)) if status.code == 404 => {
                        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                    }
                    answer => return answer,
                }
            }
        };
        let patience = crate::controller::support::PATIENCE;
        tokio::time::timeout(patience, answer).await.unwrap()
    };
    let mut refused = 0;
    for (field, value) in cases() {
        let resource = resource(field, &value);
        let answer = create(&resource).await;
        let is_taken = match &answer {
            Ok(_) => true,
            Err(kube::Error::Api(status)) if status.code == 422 => false,
            Err(error) => panic!("{field}: {value}: {error}"),
        };
        refused += u32::from(!is_taken);
        let expected = is_machine(&resource);
        assert_eq!(is_taken, expected, "{field}: {value}: {answer:?}");
    }
    assert!(refused >= 11, "{refused}");
}
