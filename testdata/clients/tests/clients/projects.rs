//! CRDs of real projects, and of `features`: custom resources through the types, the client and the lister.

use codegen_runtime::fake::Object;
use codegen_runtime::kube::api::ListParams;
use codegen_runtime::scheme::Scheme;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::round_trip;

/// The tests of one project, from its number of samples, one object, and the accessors of that object's client and lister.
macro_rules! project {
    (
        $(#[$attribute:meta])*
        $module:ident: $golden:ident, $folder:literal, $samples:literal,
        $client:ident.$resources:ident, $group:ident.$version:ident, $object:tt
    ) => {
        $(#[$attribute])*
        mod $module {
            use super::*;
            use $golden::generated::clientset::{fake, scheme};
            use $golden::generated::informers::SharedInformerFactory;

            #[test]
            fn samples_survive_decoding_and_encoding() {
                let mut known = Scheme::new();
                scheme::add_to_scheme(&mut known).unwrap();
                assert_eq!(round_trip::check(&known, $folder), $samples);
            }

            #[tokio::test]
            async fn the_client_and_the_lister_read_it() {
                let mut object = json!($object);
                object["metadata"] = json!({ "name": "example", "namespace": "default" });
                let (clientset, tracker) = fake::Clientset::with_objects([Object::from_value(object)]);
                let client = clientset.$client().$resources("default");
                let list = client.list(&ListParams::default()).await.unwrap();
                assert_eq!(list.items.len(), 1);
                assert_eq!(tracker.actions()[0].verb, "list");

                let factory = SharedInformerFactory::builder(clientset).build();
                let lister = factory.$group().$version().$resources().lister().unwrap();
                let stop = CancellationToken::new();
                factory.start(&stop);
                factory.wait_for_cache_sync().await.unwrap();
                assert_eq!(lister.list(&Default::default()).len(), 1);
                stop.cancel();
                factory.shutdown().await;
            }
        }
    };
}

project!(
    #[cfg(feature = "projects")]
    argo_workflows: golden_argo_workflows, "argo-workflows", 7,
    argoproj_v1alpha1.workflows, argoproj.v1alpha1,
    { "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "spec": { "entrypoint": "main" } }
);

project!(
    #[cfg(feature = "projects")]
    cert_manager: golden_cert_manager, "cert-manager", 8,
    cert_manager_v1.certificates, cert_manager.v1,
    {
        "apiVersion": "cert-manager.io/v1", "kind": "Certificate",
        "spec": { "secretName": "tls", "issuerRef": { "name": "ca" } },
    }
);

project!(
    features: golden_features, "features", 7,
    features_v1.everythings, features.v1,
    {
        "apiVersion": "features.example.com/v1", "kind": "Everything",
        "spec": { "mode": "Fast", "port": 80, "forced": null },
    }
);

project!(
    #[cfg(feature = "projects")]
    gateway_api: golden_gateway_api, "gateway-api", 29,
    gateway_v1.gateways, gateway.v1,
    {
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "spec": {
            "gatewayClassName": "any",
            "listeners": [{ "name": "web", "port": 80, "protocol": "HTTP" }],
        },
    }
);

project!(
    #[cfg(feature = "projects")]
    kubevirt: golden_kubevirt, "kubevirt", 19,
    kubevirt_v1.virtual_machines, kubevirt.v1,
    {
        "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "spec": { "template": { "spec": { "domain": { "devices": {} } } } },
    }
);
