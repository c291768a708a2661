//! Each part of what was written does its work on an embedded API server: clients, apply configurations, informers and their listers, the
//! scheme, validation and defaults.

use codegen_runtime::{
    k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
    kube::api::{ListParams, PatchParams, PostParams},
    scheme::Scheme,
};
use compat_VERSION as compat;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Whoever applies an object.
fn manager() -> PatchParams {
    PatchParams::apply("compat")
}

/// The metadata of a valid object.
fn named() -> ObjectMeta {
    ObjectMeta {
        name: Some("first".to_owned()),
        namespace: Some("default".to_owned()),
        ..ObjectMeta::default()
    }
}

/// The tests of one input, from its kind, an apply configuration and the same spec in JSON.
macro_rules! input {
    (
        $input:ident: $kind:ident as $apply:ident, $group:ident.$version:ident, $client:ident.$resources:ident,
        $spec:expr, $json:tt
    ) => {
        mod $input {
            use super::*;
            use compat::$input::{
                apis::$group::$version::$kind,
                generated::{
                    applyconfiguration::$group::$version::*,
                    clientset::{fake, scheme},
                    informers::SharedInformerFactory,
                },
            };

            #[test]
            fn the_scheme_decodes_and_encodes_the_kind() {
                let mut known = Scheme::new();
                scheme::add_to_scheme(&mut known).unwrap();
                let api_version = format!("{}.example.com/{}", stringify!($group), stringify!($version));
                let object = json!({
                    "apiVersion": api_version, "kind": stringify!($kind),
                    "metadata": { "name": "first", "namespace": "default" }, "spec": $json,
                });
                let decoded: $kind = serde_json::from_value(object.clone()).unwrap();
                assert_eq!(serde_json::to_value(&decoded).unwrap(), object);
            }

            #[tokio::test]
            async fn clients_write_and_listers_read_it() {
                let (clientset, _) = fake::Clientset::empty();
                let client = clientset.$client().$resources("default");
                let wanted = $apply::new("first", "default").spec($spec);
                let stored = client.apply(&wanted, &manager()).await.unwrap();
                let spec: Value = serde_json::to_value(&stored).unwrap()["spec"].take();
                assert_eq!(spec, json!($json));

                let mut second = stored.clone();
                second.metadata = Default::default();
                second.metadata.name = Some("second".to_owned());
                client.create(&second, &PostParams::default()).await.unwrap();
                let listed = client.list(&ListParams::default()).await.unwrap();
                assert_eq!(listed.items.len(), 2);

                let factory = SharedInformerFactory::builder(clientset).build();
                let lister = factory.$group().$version().$resources().lister().unwrap();
                let stop = CancellationToken::new();
                factory.start(&stop);
                factory.wait_for_cache_sync().await.unwrap();
                assert!(lister.$resources("default").get("second").is_ok());
                stop.cancel();
                factory.shutdown().await;
            }
        }
    };
}

input!(rust: Machine as MachineApply, machines.v1, machines_v1.machines,
    MachineSpecApply::default().replicas(3), { "replicas": 3 });
input!(derive: Document as DocumentApply, documents.v1, documents_v1.documents,
    DocumentSpecApply::default().plain_text("Hello"), { "plainText": "Hello" });
input!(crds: Widget as WidgetApply, widgets.v1, widgets_v1.widgets,
    WidgetSpecApply::default().size(2), { "size": 2 });
input!(go: Gear as GearApply, gears.v1, gears_v1.gears,
    GearSpecApply::default().teeth(12), { "teeth": 12 });

#[test]
fn objects_are_validated() {
    use codegen_runtime::validation::Validate as _;
    use compat::{
        crds::apis::widgets::v1::{Widget, WidgetSpec},
        rust::apis::machines::v1::{Machine, MachineSpec},
    };

    let machine = |replicas| Machine {
        metadata: named(),
        spec: MachineSpec {
            replicas,
            ..MachineSpec::default()
        },
        ..Machine::default()
    };
    assert!(machine(10).validate().is_ok());
    assert!(machine(11).validate().is_err());
    let widget = |size| Widget {
        metadata: named(),
        spec: Some(WidgetSpec {
            size,
            ..WidgetSpec::default()
        }),
        ..Widget::default()
    };
    assert!(widget(1).validate().is_ok());
    assert!(widget(0).validate().is_err());
}

#[test]
fn defaults_are_set() {
    use codegen_runtime::defaults::DefaultFields as _;
    use compat::crds::apis::widgets::v1::{Widget, WidgetColor, WidgetSpec};

    let mut widget = Widget {
        spec: Some(WidgetSpec::default()),
        ..Widget::default()
    };
    widget.default_fields().unwrap();
    assert_eq!(widget.spec.unwrap().color, Some(WidgetColor::Red));
}
