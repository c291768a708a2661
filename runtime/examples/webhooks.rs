//! Webhooks of a kind with two versions: a default, a validation, and the conversion between the
//! versions.
//!
//! In `v1`, `Machine` has its memory as a string; in `v2`, the storage version, in mebibytes.
//! `cargo run --example webhooks --features webhooks` runs it against an embedded API server, which
//! calls the handlers without a socket. docs/webhooks.md describes how a program serves them in a
//! cluster.

use codegen_runtime::codec;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use codegen_runtime::kube::api::{Api, ApiResource, DynamicObject, GroupVersionKind, PostParams};
use codegen_runtime::kube::{self, Client};
use codegen_runtime::webhook::{
    AdmissionRequest, Converter, FieldError, Refusal, Validator, Warnings, Webhooks,
};
use embedded_apiserver::ApiServer;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The types as a generator would emit them, from a CRD or from annotated Rust.
mod v1 {
    use super::*;

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(crate) struct Machine {
        pub(crate) metadata: ObjectMeta,
        pub(crate) spec: MachineSpec,
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(crate) struct MachineSpec {
        /// The memory, such as `512Mi`.
        pub(crate) memory: Option<String>,
    }

    codec::kinds! {
        "example.com" / "v1";
        Machine, "machines", NamespaceResourceScope;
    }
}

mod v2 {
    use super::*;

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(crate) struct Machine {
        pub(crate) metadata: ObjectMeta,
        pub(crate) spec: MachineSpec,
    }

    #[derive(Clone, Debug, Default, Deserialize, Serialize)]
    pub(crate) struct MachineSpec {
        pub(crate) mebibytes: Option<u32>,
    }

    codec::kinds! {
        "example.com" / "v2";
        Machine, "machines", NamespaceResourceScope;
    }
}

// The conversion to and from the hub, which is v2.

impl TryFrom<v1::Machine> for v2::Machine {
    type Error = String;

    fn try_from(old: v1::Machine) -> Result<Self, String> {
        let mebibytes = |text: &str| {
            let digits = text
                .strip_suffix("Mi")
                .and_then(|digits| digits.parse().ok());
            digits.ok_or_else(|| format!("the memory is {text:?}, not a number and Mi"))
        };
        let mebibytes = old.spec.memory.as_deref().map(mebibytes).transpose()?;
        Ok(Self {
            metadata: old.metadata,
            spec: v2::MachineSpec { mebibytes },
        })
    }
}

impl From<v2::Machine> for v1::Machine {
    fn from(new: v2::Machine) -> Self {
        let memory = new.spec.mebibytes.map(|mebibytes| format!("{mebibytes}Mi"));
        Self {
            metadata: new.metadata,
            spec: v1::MachineSpec { memory },
        }
    }
}

// The default. The marker generates the webhook configuration (`kube-codegen manifests`):
// +kubebuilder:webhook:path=/mutate-example-com-v2-machine,mutating=true,failurePolicy=fail,sideEffects=None,groups=example.com,resources=machines,verbs=create;update,versions=v2,name=mmachine-v2.kb.io,admissionReviewVersions=v1

fn default_memory(machine: &mut v2::Machine, _: &AdmissionRequest) -> Result<(), Refusal> {
    machine.spec.mebibytes.get_or_insert(512);
    Ok(())
}

/// The validation.
// +kubebuilder:webhook:path=/validate-example-com-v2-machine,mutating=false,failurePolicy=fail,sideEffects=None,groups=example.com,resources=machines,verbs=create;update,versions=v2,name=vmachine-v2.kb.io,admissionReviewVersions=v1
struct Limits;

impl Validator<v2::Machine> for Limits {
    async fn create(
        &self,
        new: &v2::Machine,
        _: &AdmissionRequest,
        warnings: &mut Warnings,
    ) -> Result<(), Refusal> {
        let mebibytes = new.spec.mebibytes.unwrap_or_default();
        if mebibytes < 128 {
            warnings.add("less than 128 MiB will not be supported any more");
        }
        match mebibytes {
            0..=65_536 => Ok(()),
            _ => Err(
                FieldError::invalid("spec.mebibytes", mebibytes, "must be at most 65536").into(),
            ),
        }
    }

    async fn update(
        &self,
        old: &v2::Machine,
        new: &v2::Machine,
        _: &AdmissionRequest,
        _: &mut Warnings,
    ) -> Result<(), Refusal> {
        if new.spec.mebibytes < old.spec.mebibytes {
            return Err(FieldError::forbidden("spec.mebibytes", "cannot shrink").into());
        }
        Ok(())
    }
}

/// Builds all webhooks, for a server or a test.
pub fn webhooks() -> Webhooks {
    Webhooks::builder()
        .defaulter(default_memory)
        .validator::<v2::Machine>(Limits)
        .converter(Converter::hub::<v2::Machine>().spoke::<v1::Machine>())
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    for line in run().await? {
        #[allow(clippy::print_stdout, reason = "what an example says, it prints")]
        {
            println!("{line}");
        }
    }
    Ok(())
}

/// Creates machines in both versions, and returns the results.
pub async fn run() -> Result<Vec<String>, Error> {
    let server = ApiServer::builder()
        .crd_values([definition()])
        .objects(configurations())
        .webhooks("system", "webhook-service", webhooks())
        .build()?;
    let client = server.client();
    let (old, new) = (machines(&client, "v1"), machines(&client, "v2"));
    let mut said = Vec::new();
    let small = create(&old, "v1", "small", json!({"memory": "256Mi"})).await?;
    said.push(format!("small has {} in v1", small.data["spec"]["memory"]));
    let small = new.get("small").await?;
    said.push(format!(
        "small has {} in v2",
        small.data["spec"]["mebibytes"]
    ));
    let plain = create(&old, "v1", "plain", json!({})).await?;
    said.push(format!(
        "plain has {} by default",
        plain.data["spec"]["memory"]
    ));
    for (version, api, spec) in [
        ("v1", &old, json!({"memory": "70000Mi"})),
        ("v1", &old, json!({"memory": "much"})),
    ] {
        if let Err(kube::Error::Api(status)) = create(api, version, "wrong", spec).await {
            said.push(status.message);
        }
    }
    Ok(said)
}

fn machines(client: &Client, version: &str) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("example.com", version, "Machine");
    Api::default_namespaced_with(client.clone(), &ApiResource::from_gvk(&kind))
}

async fn create(
    machines: &Api<DynamicObject>,
    version: &str,
    name: &str,
    spec: Value,
) -> kube::Result<DynamicObject> {
    let kind = GroupVersionKind::gvk("example.com", version, "Machine");
    let machine =
        DynamicObject::new(name, &ApiResource::from_gvk(&kind)).data(json!({"spec": spec}));
    machines.create(&PostParams::default(), &machine).await
}

/// Returns the `clientConfig` of a path, with controller-gen's default name of the service.
fn client_config(path: &str) -> Value {
    json!({"service": {"namespace": "system", "name": "webhook-service", "path": path}})
}

/// Returns the CRD that `+kubebuilder:conversion:webhook` generates.
fn definition() -> Value {
    let version = |name: &str, field: Value, storage: bool| {
        let spec = json!({"type": "object", "properties": field});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": schema}})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "machines.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Machine", "plural": "machines"},
            "versions": [
                version("v1", json!({"memory": {"type": "string"}}), false),
                version("v2", json!({"mebibytes": {"type": "integer"}}), true),
            ],
            "conversion": {"strategy": "Webhook", "webhook": {
                "clientConfig": client_config("/convert"),
                "conversionReviewVersions": ["v1"],
            }},
        },
    })
}

/// Returns the configurations that the markers generate.
fn configurations() -> [Value; 2] {
    let configuration = |kind: &str, verb: &str| {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": "machines"},
            "webhooks": [{
                "name": format!("{verb}-machine-v2.kb.io"),
                "clientConfig": client_config(&format!("/{verb}-example-com-v2-machine")),
                "rules": [{"operations": ["CREATE", "UPDATE"], "apiGroups": ["example.com"],
                    "apiVersions": ["v2"], "resources": ["machines"]}],
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
            }],
        })
    };
    [
        configuration("MutatingWebhookConfiguration", "mutate"),
        configuration("ValidatingWebhookConfiguration", "validate"),
    ]
}
