//! The migration of stored objects to a new storage version, on an embedded API server or a real
//! one. The number of objects is `MANY_OBJECTS`.

use std::num::NonZeroU32;
use std::sync::OnceLock;

use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::ResourceExt;
use codegen_runtime::kube::api::{
    Api, ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams,
};
use codegen_runtime::kube::core::GroupVersionKind;
use codegen_runtime::storage_version::{Progress, Step, StorageMigration};
use controller_testing::cluster::{Cluster, eventually};
use serde_json::{Value, json};

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.storage.example.com}
spec:
  group: storage.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, properties: {size: {type: integer}}}}
";
const NAME: &str = "widgets.storage.example.com";

fn version(name: &str, storage: bool) -> Value {
    let spec = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    json!({
        "name": name, "served": true, "storage": storage,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    })
}

struct Rig {
    cluster: Cluster,
    objects: usize,
}

impl Rig {
    async fn new() -> Self {
        let objects = std::env::var("MANY_OBJECTS").ok();
        let rig = Self {
            cluster: Cluster::new(CRD).await,
            objects: objects.and_then(|text| text.parse().ok()).unwrap_or(60),
        };
        let widgets = rig.widgets("v1");
        for index in 0..rig.objects {
            let widget = serde_json::from_value(json!({
                "apiVersion": "storage.example.com/v1",
                "kind": "Widget",
                "metadata": {"name": format!("widget-{index:05}")},
                "spec": {"size": index},
            }));
            let params = PostParams::default();
            widgets.create(&params, &widget.unwrap()).await.unwrap();
        }
        rig
    }

    fn widgets(&self, version: &str) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("storage.example.com", version, "Widget");
        let resource = ApiResource::from_gvk(&kind);
        Api::namespaced_with(
            self.cluster.client.clone(),
            &self.cluster.namespace,
            &resource,
        )
    }

    /// Returns the resource versions of the objects; waits while the server starts a watch cache.
    async fn versions(&self, of_widgets: &str) -> Vec<Option<String>> {
        let (widgets, params) = (self.widgets(of_widgets), ListParams::default());
        let listed = OnceLock::new();
        let list = async || {
            widgets
                .list(&params)
                .await
                .is_ok_and(|it| listed.set(it).is_ok())
        };
        assert!(eventually(list).await);
        let objects = listed.get().unwrap().iter();
        objects.map(ResourceExt::resource_version).collect()
    }

    fn crds(&self) -> Api<CustomResourceDefinition> {
        Api::all(self.cluster.client.clone())
    }

    async fn define(&self, versions: &[Value]) -> bool {
        let patch = Patch::Merge(json!({"spec": {"versions": versions}}));
        let params = PatchParams::default();
        self.crds().patch(NAME, &params, &patch).await.is_ok()
    }
}

#[tokio::test]
async fn an_old_version_is_removed_after_its_objects_were_migrated() {
    let rig = Rig::new().await;
    assert!(
        rig.define(&[version("v1", false), version("v2", true)])
            .await
    );
    // The server writes v2 as soon as it serves it.
    rig.versions("v2").await;
    assert!(!rig.define(&[version("v2", true)]).await, "v1 is stored");

    let before = rig.versions("v2").await;
    let migrator = || {
        StorageMigration::of([NAME])
            .objects_per_second(NonZeroU32::new(5000).unwrap())
            .page_size(NonZeroU32::new(50).unwrap())
            .migrator(&rig.cluster.client)
    };
    // A process that ends after the first part.
    let first = migrator().step(NAME).await.unwrap();
    assert!(matches!(first, Step::Part(_)), "{first:?}");
    let end = migrator().finish(NAME).await.unwrap();
    let written = rig.objects as u64;
    assert_eq!(
        end,
        Step::Done(Progress {
            written,
            ..Progress::default()
        })
    );

    let after = rig.versions("v2").await;
    assert_eq!(after.len(), rig.objects);
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| before != after)
    );
    assert!(rig.define(&[version("v2", true)]).await, "v1 is not stored");
    assert_eq!(rig.versions("v2").await.len(), rig.objects);
}
