//! Clients with all verbs, from annotated Rust.

use golden_foo::apis::samplecontroller::v1alpha1::{Foo, FooSpec, FooStatus};
use golden_hyphenated::apis::traffic_control::v1alpha2::{
    HTTPRoute, HTTPRouteSpec, MatchType, VMIPool,
};
use golden_multiversion::apis::shop::{v1, v1beta1};
use golden_network::apis::samplecrd::v1::{Network, NetworkSpec};
use golden_podset::apis::apps::v1alpha1::{PodSet, PodSetSpec, PodSetStatus};
use golden_virtualmachine::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase, VirtualMachineStatus,
};
use kube::Client;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use crate::common::{
    delete_collection, every_verb, informer_follows, named, post, refused, status_verbs,
};
use crate::definitions::{Definition, anything};
use crate::harness::cases;
use crate::support::collection::unique;
use crate::support::namespace;

cases![
    virtual_machines,
    foos,
    networks,
    pod_sets,
    http_routes,
    vmi_pools,
    orders_in_two_versions,
];

fn parsed<K: serde::de::DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

async fn virtual_machines(client: Client) {
    let properties = json!({
        "spec": {
            "type": "object", "required": ["action", "resource"],
            "properties": {
                "action": {"type": "string"},
                "resource": {
                    "type": "object",
                    "additionalProperties": {
                        "anyOf": [{"type": "integer"}, {"type": "string"}],
                        "x-kubernetes-int-or-string": true,
                    },
                },
            },
        },
        "status": anything(),
    });
    let crd = Definition::new(
        "virtualmachines.cloudnative.czs",
        "VirtualMachine",
        "v1alpha1",
        properties,
    );
    crd.subresources(json!({"status": {}}))
        .install(&client)
        .await;
    let namespace = namespace(&client).await;
    let clientset = golden_virtualmachine::generated::clientset::Clientset::new(client);
    let vms = || {
        clientset
            .cloudnative_v1alpha1()
            .virtual_machines(&namespace)
    };
    let vm = || -> VirtualMachine {
        parsed(json!({
            "apiVersion": "cloudnative.czs/v1alpha1", "kind": "VirtualMachine", "metadata": {},
            "spec": {"action": "active", "resource": {"cpu": "2", "memory": "4G", "rootDisk": "40G"}},
        }))
    };
    let status = || {
        Some(VirtualMachineStatus {
            phase: VirtualMachinePhase::Creating,
            reason: "asked for".to_owned(),
            ..VirtualMachineStatus::default()
        })
    };
    every_verb!(vms(), vm());
    delete_collection!(vms(), vm());
    status_verbs!(vms(), vm(), status(), {"phase": "Active"});
    informer_follows!(
        golden_virtualmachine::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.cloudnative().v1alpha1().virtual_machines(),
        vms(),
        vm(),
    );
}

async fn foos(client: Client) {
    let properties = json!({
        "spec": {
            "type": "object",
            "properties": {
                "deploymentName": {"type": "string"},
                "replicas": {"type": "integer", "minimum": 1, "maximum": 10},
            },
        },
        "status": {"type": "object", "properties": {"availableReplicas": {"type": "integer"}}},
    });
    let crd = Definition::new(
        "foos.samplecontroller.k8s.io",
        "Foo",
        "v1alpha1",
        properties,
    );
    crd.subresources(json!({"status": {}}))
        .install(&client)
        .await;
    let namespace = namespace(&client).await;
    let clientset = golden_foo::generated::clientset::Clientset::new(client);
    let foos = || clientset.samplecontroller_v1alpha1().foos(&namespace);
    let foo = || Foo {
        spec: FooSpec {
            deployment_name: "deployment".to_owned(),
            replicas: Some(1),
        },
        ..Foo::default()
    };
    let status = || {
        Some(FooStatus {
            available_replicas: 4,
        })
    };
    every_verb!(foos(), foo());
    delete_collection!(foos(), foo());
    status_verbs!(foos(), foo(), status(), {"availableReplicas": 5});
    let mut invalid = named(foo(), "invalid");
    invalid.spec.replicas = Some(11);
    let status = refused(foos().create(&invalid, &post()).await);
    assert_eq!(status.details.unwrap().causes[0].field, "spec.replicas");
    informer_follows!(
        golden_foo::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.samplecontroller().v1alpha1().foos(),
        foos(),
        foo(),
    );
}

async fn networks(client: Client) {
    let properties = json!({"spec": {
        "type": "object",
        "properties": {"cidr": {"type": "string"}, "gateway": {"type": "string"}},
    }});
    let crd = Definition::new("networks.samplecrd.k8s.io", "Network", "v1", properties);
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_network::generated::clientset::Clientset::new(client);
    let networks = || clientset.samplecrd_v1().networks(&namespace);
    let network = || Network {
        spec: NetworkSpec {
            cidr: "192.168.0.0/16".to_owned(),
            gateway: "192.168.0.1".to_owned(),
        },
        ..Network::default()
    };
    every_verb!(networks(), network());
    delete_collection!(networks(), network());
    informer_follows!(
        golden_network::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.samplecrd().v1().networks(),
        networks(),
        network(),
    );
}

async fn pod_sets(client: Client) {
    let properties = json!({
        "spec": {
            "type": "object",
            "properties": {"size": {"type": "integer", "minimum": 0, "maximum": 100}},
        },
        "status": {
            "type": "object",
            "properties": {
                "size": {"type": "integer"},
                "nodes": {
                    "type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set",
                },
            },
        },
    });
    let crd = Definition::new("podsets.apps.jicki.cn", "PodSet", "v1alpha1", properties);
    let crd = crd.subresources(json!({
        "status": {},
        "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
    }));
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_podset::generated::clientset::Clientset::new(client);
    let sets = || clientset.apps_v1alpha1().pod_sets(&namespace);
    let set = || PodSet {
        spec: PodSetSpec { size: 2 },
        ..PodSet::default()
    };
    let status = || {
        Some(PodSetStatus {
            size: 1,
            nodes: vec!["a".to_owned()],
        })
    };
    every_verb!(sets(), set());
    delete_collection!(sets(), set());
    status_verbs!(sets(), set(), status(), {"size": 2, "nodes": ["a", "b"]});
    informer_follows!(
        golden_podset::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.apps().v1alpha1().pod_sets(),
        sets(),
        set(),
    );
}

async fn http_routes(client: Client) {
    let properties = json!({"spec": {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": ["exact", "path-prefix"]},
            "targetRef": {"x-kubernetes-int-or-string": true},
            "allowedIPs": {"type": "array", "items": {"type": "string"}},
            "filters": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}},
        },
    }});
    let resource = "httproutes.traffic-control.example.com";
    let crd = Definition::new(resource, "HTTPRoute", "v1alpha2", properties);
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_hyphenated::generated::clientset::Clientset::new(client);
    let routes = || clientset.traffic_control_v1alpha2().http_routes(&namespace);
    let route = || HTTPRoute {
        spec: HTTPRouteSpec {
            r#type: MatchType::PathPrefix,
            target: None,
            allowed_ips: vec!["10.0.0.1".to_owned()],
            filters: Vec::new(),
        },
        ..HTTPRoute::default()
    };
    every_verb!(routes(), route());
    delete_collection!(routes(), route());
    informer_follows!(
        golden_hyphenated::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.traffic_control().v1alpha2().http_routes(),
        routes(),
        route(),
    );
}

async fn vmi_pools(client: Client) {
    let strings = json!({"type": "array", "items": {"type": "string"}});
    let properties = json!({"addresses": strings, "heldBack": strings});
    let resource = "vmipools.traffic-control.example.com";
    let crd = Definition::new(resource, "VMIPool", "v1alpha2", properties).cluster_scoped();
    crd.install(&client).await;
    let clientset = golden_hyphenated::generated::clientset::Clientset::new(client);
    let pools = || clientset.traffic_control_v1alpha2().vmi_pools();
    let pool = || VMIPool {
        addresses: vec!["10.0.0.1".to_owned()],
        ..VMIPool::default()
    };
    every_verb!(pools(), pool());
    delete_collection!(pools(), pool());
    informer_follows!(
        golden_hyphenated::generated::informers::SharedInformerFactory,
        clientset,
        "",
        |factory| factory.traffic_control().v1alpha2().vmi_pools(),
        pools(),
        pool(),
    );
}

async fn orders_in_two_versions(client: Client) {
    let properties = || json!({"spec": anything(), "status": anything()});
    let crd = Definition::new("orders.shop.example.com", "Order", "v1", properties())
        .and_version("v1beta1", properties())
        .subresources(json!({"status": {}}));
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = golden_multiversion::generated::clientset::Clientset::new(client.clone());
    let orders = || clientset.shop_v1().orders(&namespace);
    let order = || v1::Order {
        spec: v1::OrderSpec {
            lines: vec![v1::OrderLine {
                article: "apple".to_owned(),
                count: 3,
            }],
        },
        ..v1::Order::default()
    };
    every_verb!(orders(), order());
    delete_collection!(orders(), order());
    let old_orders = || clientset.shop_v1beta1().orders(&namespace);
    let old = || v1beta1::Order {
        spec: v1beta1::OrderSpec {
            article: "apple".to_owned(),
            count: 3,
        },
        ..v1beta1::Order::default()
    };
    every_verb!(old_orders(), old());
    delete_collection!(old_orders(), old());
    let shipped = || Some(v1beta1::OrderStatus { shipped: true });
    status_verbs!(old_orders(), old(), shipped(), {"shipped": false});

    // An object written in one version is read in the other.
    let name = unique();
    let both = json!({
        "apiVersion": "shop.example.com/v1", "kind": "Order", "metadata": {"name": name},
        "spec": {"lines": [{"article": "pear", "count": 2}], "article": "pear", "count": 2},
    });
    let params = PatchParams::apply("clients");
    let made = orders()
        .patch(&name, &params, &Patch::Apply(both))
        .await
        .unwrap();
    let same = old_orders().get(&name).await.unwrap();
    assert_eq!(made.metadata.uid, same.metadata.uid);
    assert_eq!(made.spec.lines[0].article, same.spec.article);
    informer_follows!(
        golden_multiversion::generated::informers::SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.shop().v1beta1().orders(),
        old_orders(),
        // The informer also reads the order created above; this object is only read by the informer.
        old(),
    );
}
