//! Migrations of stored objects, on a kind whose storage version changes from v1 to v2.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codegen_runtime::controller::{ErrorPolicy, Reconciler, Request};
use codegen_runtime::error::chain;
use codegen_runtime::fake::crash::{Gate, every_crash_point};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::Manager;
use codegen_runtime::metrics::Metrics;
use codegen_runtime::storage_version::{
    MigrationError, Migrator, PROGRESS, Progress, Step, StorageMigration,
};
use embedded_apiserver::{ApiError, ApiServer, Reaction};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, ResourceExt};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const CRD: &str = "widgets.example.com";

/// Where the kind is in its life.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Life {
    /// v1 alone.
    First,
    /// v1 and v2 are served, v1 is stored.
    Both,
    /// Both are served, v2 is stored.
    Stored,
    /// v2 is served and stored.
    Retired,
    /// v2 alone.
    Removed,
}

fn definition(life: Life) -> Value {
    let version = |name: &str, served: bool, storage: bool| {
        json!({
            "name": name, "served": served, "storage": storage,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
            }}},
        })
    };
    let versions = match life {
        Life::First => vec![version("v1", true, true)],
        Life::Both => vec![version("v1", true, true), version("v2", true, false)],
        Life::Stored => vec![version("v1", true, false), version("v2", true, true)],
        Life::Retired => vec![version("v1", false, false), version("v2", true, true)],
        Life::Removed => vec![version("v2", true, true)],
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": CRD},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": versions,
        },
    })
}

/// A server with widgets that are stored as v1.
struct Rig {
    server: ApiServer,
    patches: Arc<AtomicU64>,
}

impl Rig {
    async fn new(widgets: usize) -> Self {
        let server = ApiServer::builder()
            .crd_values([definition(Life::First)])
            .build()
            .unwrap();
        let patches = Arc::new(AtomicU64::new(0));
        let rig = Self { server, patches };
        for index in 0..widgets {
            let widget = rig.widget("v1", &format!("w{index:04}"));
            rig.widgets("v1")
                .create(&PostParams::default(), &widget)
                .await
                .unwrap();
        }
        rig.define(Life::Stored).await.unwrap();
        let count = Arc::clone(&rig.patches);
        rig.server.prepend_reactor("patch", "widgets", move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            Reaction::Pass
        });
        rig
    }

    fn widgets(&self, version: &str) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("example.com", version, "Widget");
        let resource = ApiResource::from_gvk(&kind);
        Api::namespaced_with(self.server.client(), "default", &resource)
    }

    fn widget(&self, version: &str, name: &str) -> DynamicObject {
        serde_json::from_value(json!({
            "apiVersion": format!("example.com/{version}"),
            "kind": "Widget",
            "metadata": {"name": name},
            "spec": {"size": 1},
        }))
        .unwrap()
    }

    fn crds(&self) -> Api<CustomResourceDefinition> {
        Api::all(self.server.client())
    }

    async fn define(&self, life: Life) -> Result<(), kube::Error> {
        let spec = json!({"spec": {"versions": definition(life)["spec"]["versions"]}});
        let params = PatchParams::default();
        let patch = Patch::Merge(spec);
        self.crds().patch(CRD, &params, &patch).await.map(drop)
    }

    async fn stored_versions(&self) -> Vec<String> {
        let crd = self.crds().get(CRD).await.unwrap();
        crd.status.unwrap().stored_versions.unwrap_or_default()
    }

    async fn progress(&self) -> Option<Value> {
        let crd = self.crds().get(CRD).await.unwrap();
        let text = crd.annotations().get(PROGRESS)?;
        Some(serde_json::from_str(text).unwrap())
    }

    fn migrator(&self, page: u32) -> Migrator {
        StorageMigration::of([CRD])
            .page_size(NonZeroU32::new(page).unwrap())
            .migrator(&self.server.client())
    }

    fn patches(&self) -> u64 {
        self.patches.swap(0, Ordering::SeqCst)
    }

    fn refuse(&self, name: &'static str) {
        self.server
            .prepend_reactor("patch", "widgets", move |action| {
                if action.name == name {
                    Reaction::Fail(ApiError::bad_request("no, says a webhook"))
                } else {
                    Reaction::Pass
                }
            });
    }
}

fn written(objects: u64) -> Progress {
    Progress {
        written: objects,
        failed: 0,
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_migration_the_old_version_can_be_removed() {
    let rig = Rig::new(7).await;
    assert_eq!(rig.stored_versions().await, ["v1", "v2"]);
    assert!(rig.define(Life::Removed).await.is_err());
    let before = rig.widgets("v2").list(&Default::default()).await.unwrap();
    let done = rig.migrator(3).finish(CRD).await.unwrap();
    assert_eq!(done, Step::Done(written(7)));
    assert_eq!(rig.stored_versions().await, ["v2"]);
    assert_eq!(rig.progress().await, None);
    let after = rig.widgets("v2").list(&Default::default()).await.unwrap();
    for (before, after) in before.iter().zip(&after.items) {
        assert_ne!(before.resource_version(), after.resource_version());
        assert_eq!(before.managed_fields(), after.managed_fields());
        assert_eq!(before.data, after.data);
    }
    rig.define(Life::Removed).await.unwrap();
    assert_eq!(
        rig.widgets("v2")
            .list(&Default::default())
            .await
            .unwrap()
            .items
            .len(),
        7
    );
    // Nothing is left to do.
    rig.patches();
    assert_eq!(rig.migrator(3).finish(CRD).await.unwrap(), Step::Nothing);
    assert_eq!(
        rig.migrator(3).finish("other.example.com").await.unwrap(),
        Step::Nothing
    );
    assert_eq!(rig.patches(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_migration_goes_on_where_another_process_ended() {
    let rig = Rig::new(7).await;
    let first = rig.migrator(3);
    assert_eq!(first.step(CRD).await.unwrap(), Step::Part(written(3)));
    assert_eq!(rig.patches(), 3);
    let second = rig.migrator(3);
    assert_eq!(second.finish(CRD).await.unwrap(), Step::Done(written(7)));
    assert_eq!(rig.patches(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_migration_may_end_at_any_call() {
    let calls = every_crash_point(|gate: Gate| async move {
        let rig = Rig::new(3).await;
        let guard = gate.clone();
        rig.server.prepend_reactor("*", "*", move |_| {
            if guard.passes() {
                Reaction::Pass
            } else {
                Reaction::Fail(ApiError::internal("the process has ended"))
            }
        });
        let crashed = rig.migrator(2).finish(CRD).await.is_err();
        gate.open();
        let end = rig.migrator(2).finish(CRD).await.unwrap();
        // The process may have ended after its last call but one, the status.
        assert!(matches!(end, Step::Done(_) | Step::Nothing), "{end:?}");
        assert_eq!(rig.stored_versions().await, ["v2"]);
        assert_eq!(rig.progress().await, None);
        rig.define(Life::Removed).await.unwrap();
        crashed
    })
    .await;
    assert!(calls > 8, "{calls}");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_written_keeps_its_version_on_the_list() {
    let rig = Rig::new(4).await;
    rig.refuse("w0001");
    let migrator = rig.migrator(2);
    let error = migrator.finish(CRD).await.unwrap_err();
    assert_eq!(rig.patches(), 3, "the others are written");
    let text = chain(&error).to_string();
    assert!(
        text.starts_with(
            "1 of the objects of widgets.example.com cannot be written, so v1 stays among its stored versions; \
             the first: default/w0001: "
        ) && text.contains("no, says a webhook"),
        "{text}"
    );
    assert_eq!(rig.stored_versions().await, ["v1", "v2"]);
    assert_eq!(rig.progress().await, None, "the next pass begins anew");
    let request = Request::new(CRD.parse().unwrap());
    let policy = migrator.error_policy(&request, &error);
    assert!(matches!(policy, ErrorPolicy::RetryAfter(_)));
    assert!(matches!(error, MigrationError::Objects { failed: 1, .. }));
}

#[tokio::test(start_paused = true)]
async fn a_changed_definition_begins_the_migration_anew() {
    let rig = Rig::new(5).await;
    let migrator = rig.migrator(2);
    assert_eq!(migrator.step(CRD).await.unwrap(), Step::Part(written(2)));
    // Whatever was created meanwhile is stored as v1 again.
    rig.define(Life::Both).await.unwrap();
    rig.define(Life::Stored).await.unwrap();
    assert_eq!(migrator.finish(CRD).await.unwrap(), Step::Done(written(5)));
    assert_eq!(rig.stored_versions().await, ["v2"]);

    // Between the first and the last object of the last part.
    let rig = Rig::new(2).await;
    let (client, changed) = (rig.server.client(), AtomicU64::new(0));
    rig.server.prepend_reactor("patch", "widgets", move |_| {
        if changed.fetch_add(1, Ordering::SeqCst) == 0 {
            let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
            tokio::spawn(async move {
                let versions = &definition(Life::Both)["spec"]["versions"];
                let patch = Patch::Merge(json!({"spec": {"versions": versions}}));
                crds.patch(CRD, &PatchParams::default(), &patch)
                    .await
                    .unwrap();
            });
        }
        Reaction::Pass
    });
    let _ = rig.migrator(2).step(CRD).await.unwrap();
    assert!(rig.stored_versions().await.contains(&"v1".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn managers_of_a_version_that_is_not_served_move_and_apply_works() {
    let rig = Rig::new(0).await;
    rig.define(Life::Both).await.unwrap();
    let widget = rig.widget("v1", "applied");
    let params = PatchParams::apply("team");
    let patch = Patch::Apply(&widget);
    rig.widgets("v1")
        .patch("applied", &params, &patch)
        .await
        .unwrap();
    rig.define(Life::Stored).await.unwrap();
    rig.define(Life::Retired).await.unwrap();
    assert_eq!(
        rig.migrator(2).finish(CRD).await.unwrap(),
        Step::Done(written(1))
    );
    rig.define(Life::Removed).await.unwrap();
    let widget = rig.widgets("v2").get("applied").await.unwrap();
    let entries = widget.managed_fields();
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0].api_version.as_deref(), Some("example.com/v2"));
    // The field is still the manager's: one that it leaves out is gone.
    let applied =
        json!({"apiVersion": "example.com/v2", "kind": "Widget", "metadata": {"name": "applied"}});
    let after = rig
        .widgets("v2")
        .patch("applied", &params, &Patch::Apply(&applied))
        .await
        .unwrap();
    assert_eq!(after.data.pointer("/spec/size"), None);
}

#[tokio::test(start_paused = true)]
async fn an_expired_position_and_a_foreign_annotation_harm_nothing() {
    let rig = Rig::new(5).await;
    let migrator = rig.migrator(2);
    assert_eq!(migrator.step(CRD).await.unwrap(), Step::Part(written(2)));
    let expired = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&expired);
    rig.server.prepend_reactor("list", "widgets", move |_| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            Reaction::Fail(ApiError::expired("too old"))
        } else {
            Reaction::Pass
        }
    });
    // Without a token in the answer the list begins anew.
    assert_eq!(migrator.finish(CRD).await.unwrap(), Step::Done(written(7)));

    let rig = Rig::new(2).await;
    let patch = json!({"metadata": {"annotations": {PROGRESS: "?"}}});
    let params = PatchParams::default();
    rig.crds()
        .patch(CRD, &params, &Patch::Merge(patch))
        .await
        .unwrap();
    assert_eq!(
        rig.migrator(5).finish(CRD).await.unwrap(),
        Step::Done(written(2))
    );
    assert_eq!(rig.progress().await, None);
}

#[tokio::test(start_paused = true)]
async fn the_controller_migrates_named_kinds_and_counts() {
    let rig = Rig::new(7).await;
    let client = rig.server.client();
    let (metrics, stop) = (Metrics::new(), CancellationToken::new());
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone()).build();
    let controller = StorageMigration::of([CRD, "later.example.com"])
        .page_size(NonZeroU32::new(2).unwrap())
        .metrics(&metrics)
        .controller(&client, &factory)
        .unwrap();
    let manager = Manager::builder(&factory)
        .controller(controller)
        .build()
        .unwrap();
    let stopped = stop.clone();
    let run = tokio::spawn(async move { manager.run(&stopped).await });
    while rig.stored_versions().await != ["v2"] {
        tokio::time::sleep(super::ms(10)).await;
    }
    tokio::time::sleep(super::secs(1)).await;
    let text = metrics.encode().unwrap();
    for line in [
        "storage_migration_objects_total{crd=\"widgets.example.com\"} 7",
        "storage_migration_failures_total{crd=\"widgets.example.com\"} 0",
        "storage_migration_pending{crd=\"widgets.example.com\"} 0",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    stop.cancel();
    run.await.unwrap().unwrap();
}
