//! Fields that the type of a defaulter does not know stay with the item of the list that they were
//! sent in.

use codegen_runtime::codec;
use codegen_runtime::k8s_openapi::api::core::v1::{Container, EnvVar, Pod, Toleration};
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use codegen_runtime::kube::core::{ApiResource, CustomResourceExt};
use codegen_runtime::webhook::{AdmissionRequest, Refusal, Webhooks};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::router::{patch_of, response, review};

/// Returns the spec that is stored after a pod with `spec` was created, and the warnings.
async fn stored(spec: Value, change: impl Fn(&mut Pod) + Send + Sync + 'static) -> (Value, Value) {
    let defaulter = move |pod: &mut Pod, _: &AdmissionRequest| -> Result<(), Refusal> {
        change(pod);
        Ok(())
    };
    let webhooks = Webhooks::builder().defaulter(defaulter).build();
    let mut object =
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec});
    let mut body = review("CREATE", object.clone(), Value::Null);
    body["request"]["kind"]["kind"] = json!("Pod");
    let answer = response(&webhooks, "/mutate--v1-pod", &body).await;
    assert_eq!(answer["allowed"], true, "{answer}");
    let patch: json_patch::Patch = serde_json::from_value(patch_of(&answer)).unwrap();
    json_patch::patch(&mut object, &patch).unwrap();
    (object["spec"].clone(), answer["warnings"].clone())
}

fn containers(pod: &mut Pod) -> &mut Vec<Container> {
    &mut pod.spec.as_mut().unwrap().containers
}

#[tokio::test]
async fn fields_of_a_removed_container_do_not_move_to_the_next() {
    let spec = json!({"containers": [
        {"name": "a", "future": "of a"}, {"name": "b", "image": "i", "future": "of b"},
    ]});
    let (spec, warnings) = stored(spec, |pod| {
        containers(pod).remove(0);
        containers(pod)[0].image = Some("mirror/i".to_owned());
    })
    .await;
    let expected = json!([{"name": "b", "image": "mirror/i", "future": "of b"}]);
    assert_eq!((&spec["containers"], &warnings), (&expected, &Value::Null));
}

#[tokio::test]
async fn an_injected_init_container_gets_no_field_of_its_neighbour() {
    let spec = json!({"containers": [], "initContainers": [{"name": "a", "future": "Always"}, {"name": "b"}]});
    let (spec, warnings) = stored(spec, |pod| {
        let list = pod.spec.as_mut().unwrap().init_containers.as_mut().unwrap();
        list.insert(
            0,
            Container {
                name: "injected".to_owned(),
                ..Container::default()
            },
        );
        for container in list {
            let variable = EnvVar {
                name: "E".to_owned(),
                ..EnvVar::default()
            };
            container.env.get_or_insert_default().push(variable);
        }
    })
    .await;
    let env = json!([{"name": "E"}]);
    let expected = json!([
        {"name": "injected", "env": env}, {"name": "a", "future": "Always", "env": env}, {"name": "b", "env": env},
    ]);
    assert_eq!(
        (&spec["initContainers"], &warnings),
        (&expected, &Value::Null)
    );
}

#[tokio::test]
async fn fields_follow_containers_that_are_sorted_and_changed() {
    let spec = json!({"containers": [{"name": "b", "future": 1}, {"name": "a", "future": 2}]});
    let (spec, _) = stored(spec, |pod| {
        containers(pod).sort_by(|one, other| one.name.cmp(&other.name));
        for container in containers(pod) {
            container.image = Some("i".to_owned());
        }
    })
    .await;
    let expected =
        json!([{"name": "a", "future": 2, "image": "i"}, {"name": "b", "future": 1, "image": "i"}]);
    assert_eq!(spec["containers"], expected);
}

#[tokio::test]
async fn ports_are_told_apart_by_number_and_protocol() {
    let ports = json!([
        {"containerPort": 53, "protocol": "UDP", "future": "udp"}, {"containerPort": 53, "future": "tcp"},
    ]);
    let (spec, _) = stored(
        json!({"containers": [{"name": "a", "ports": ports}]}),
        |pod| {
            let ports = containers(pod)[0].ports.as_mut().unwrap();
            ports.reverse();
            for port in ports {
                port.host_port = Some(1);
            }
        },
    )
    .await;
    let expected = json!([
        {"containerPort": 53, "hostPort": 1, "future": "tcp"},
        {"containerPort": 53, "protocol": "UDP", "hostPort": 1, "future": "udp"},
    ]);
    assert_eq!(spec["containers"][0]["ports"], expected);
}

/// Tolerations have no key: a changed one may be another one.
#[tokio::test]
async fn a_field_that_nothing_relates_to_an_item_is_dropped_with_a_warning() {
    let spec = json!({"containers": [], "tolerations": [{"key": "a", "future": 1}, {"key": "b", "future": 2}]});
    let (spec, warnings) = stored(spec, |pod| {
        let list = pod.spec.as_mut().unwrap().tolerations.as_mut().unwrap();
        list[1].operator = Some("Exists".to_owned());
        list.push(Toleration {
            key: Some("c".to_owned()),
            ..Toleration::default()
        });
    })
    .await;
    let expected =
        json!([{"key": "a", "future": 1}, {"key": "b", "operator": "Exists"}, {"key": "c"}]);
    assert_eq!(spec["tolerations"], expected);
    let warning = "spec.tolerations: dropped unknown fields of an item that changed: no key relates them to what was sent";
    assert_eq!(warnings, json!([warning]));
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Rack {
    metadata: ObjectMeta,
    slots: Vec<Slot>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Slot {
    id: String,
    #[serde(default)]
    server: String,
}

codec::kinds! {
    "example.com" / "v1";
    Rack, "racks", ClusterResourceScope;
}

impl CustomResourceExt for Rack {
    fn crd() -> CustomResourceDefinition {
        let slots = json!({
            "type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"],
        });
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"slots": slots}}});
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
        let names = json!({"kind": "Rack", "plural": "racks"});
        let spec = json!({"group": "example.com", "names": names, "scope": "Cluster", "versions": [version]});
        let crd = json!({"metadata": {"name": Self::crd_name()}, "spec": spec});
        serde_json::from_value(crd).unwrap()
    }

    fn crd_name() -> &'static str {
        "racks.example.com"
    }

    fn api_resource() -> ApiResource {
        ApiResource::erase::<Self>(&())
    }

    fn shortnames() -> &'static [&'static str] {
        &[]
    }
}

#[tokio::test]
async fn items_of_a_custom_resource_are_told_apart_by_the_keys_of_its_schema() {
    let sent = json!({
        "apiVersion": "example.com/v1", "kind": "Rack", "metadata": {"name": "r"},
        "slots": [{"id": "a", "future": "of a"}, {"id": "b", "future": "of b"}],
    });
    let change = |rack: &mut Rack, _: &AdmissionRequest| -> Result<(), Refusal> {
        rack.slots.reverse();
        rack.slots
            .iter_mut()
            .for_each(|slot| slot.server = format!("server of {}", slot.id));
        Ok(())
    };
    let mut body = review("CREATE", sent.clone(), Value::Null);
    body["request"]["kind"] = json!({"group": "example.com", "version": "v1", "kind": "Rack"});
    let changed = async |webhooks: Webhooks| {
        let answer = response(&webhooks, "/mutate-example-com-v1-rack", &body).await;
        let patch: json_patch::Patch = serde_json::from_value(patch_of(&answer)).unwrap();
        let mut object = sent.clone();
        json_patch::patch(&mut object, &patch).unwrap();
        (object["slots"].clone(), answer["warnings"].is_null())
    };

    let with_schema = Webhooks::builder()
        .custom_resource::<Rack>()
        .defaulter(change);
    let expected = json!([
        {"id": "b", "future": "of b", "server": "server of b"}, {"id": "a", "future": "of a", "server": "server of a"},
    ]);
    assert_eq!(changed(with_schema.build()).await, (expected, true));

    // `id` is a key of no list of Kubernetes, so that without the schema it is in doubt which item
    // was which.
    let without = Webhooks::builder().defaulter(change);
    let expected =
        json!([{"id": "b", "server": "server of b"}, {"id": "a", "server": "server of a"}]);
    assert_eq!(changed(without.build()).await, (expected, false));
}
