//! Shared informers: the contents of the cache and the calls of handlers, for every kind of list.

use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::reflector::{ApiSourceOptions, ReflectorOptions};
use futures::future::join_all;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::core::Selector;
use kube::{Client, ResourceExt};
use tokio_util::sync::CancellationToken;

use super::common::{Running, Secrets, Spy, Told, until, version};
use crate::harness::cases;
use crate::support::expect::PATIENCE;
use crate::support::namespace;

cases![
    a_streamed_list_fills_the_cache,
    a_limited_list_fills_the_cache,
    a_plain_list_fills_the_cache,
    a_handler_is_told_of_every_change,
    a_late_handler_is_told_of_what_is_there,
    a_removed_handler_hears_nothing_more,
    an_object_that_leaves_the_label_selector_is_deleted,
    a_field_selector_narrows_the_cache,
    only_metadata_is_asked_for,
    managed_fields_are_kept_on_request_only,
    the_cache_of_one_namespace_leaves_out_others,
    a_cluster_scoped_resource_is_cached,
    a_finalized_object_is_updated_and_then_deleted,
    an_object_made_anew_has_another_uid,
    the_lister_waits_for_a_write,
    the_cache_is_what_the_server_holds_in_the_end,
];

async fn start(client: &Client, options: ReflectorOptions<Secret>) -> Case {
    start_with(client, options, ApiSourceOptions::default()).await
}

/// A namespace with the secrets a and b, and an informer on them that has not synced yet.
struct Case {
    secrets: Secrets,
    spy: Arc<Spy<Secret>>,
    running: Running<Secret>,
    told: Told,
}

async fn start_with(
    client: &Client,
    options: ReflectorOptions<Secret>,
    source: ApiSourceOptions,
) -> Case {
    let namespace = namespace(client).await;
    let secrets = Secrets::new(client, &namespace);
    secrets.create("a", &[("shape", "round")]).await;
    secrets.create("b", &[("shape", "square")]).await;
    let spy = Arc::new(Spy::new(client, &(), &namespace, source));
    let told = Told::default();
    let running = Running::start(spy.clone(), &(), options, &told);
    Case {
        secrets,
        spy,
        running,
        told,
    }
}

fn paged(size: u32) -> ReflectorOptions<Secret> {
    let mut options = ReflectorOptions::default();
    options.watch_list = false;
    options.page_size = Some(size);
    options
}

async fn a_streamed_list_fills_the_cache(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    assert_eq!(case.running.names(), ["a", "b"]);
    assert_eq!(case.spy.log(), ["watch \"\" streamed"]);
    let newest = case.running.cached().into_values().max().unwrap();
    let synced: u64 = case
        .running
        .informer
        .last_sync_resource_version()
        .parse()
        .unwrap();
    assert!(synced >= newest, "{synced} < {newest}");
    // The same stream continues as the watch.
    case.secrets.create("c", &[]).await;
    until("c is cached", || case.running.names().len() == 3).await;
    assert_eq!(case.spy.log(), ["watch \"\" streamed"]);
}

async fn a_limited_list_fills_the_cache(client: Client) {
    let namespace = namespace(&client).await;
    let secrets = Secrets::new(&client, &namespace);
    let names: Vec<String> = (0..10).map(|n| format!("s{n}")).collect();
    for name in &names {
        secrets.create(name, &[]).await;
    }
    let spy = Arc::new(Spy::new(
        &client,
        &(),
        &namespace,
        ApiSourceOptions::default(),
    ));
    let running = Running::start(spy.clone(), &(), paged(4), &Told::default());
    running.synced().await;
    assert_eq!(running.names(), names);
    until("the watch", || spy.log().len() == 2).await;
    // For "any state" a server returns all that its cache holds, whatever the limit.
    assert_eq!(spy.log(), ["list \"0\" limit 4", "watch \"N\""]);
}

async fn a_plain_list_fills_the_cache(client: Client) {
    let mut options = ReflectorOptions::default();
    options.watch_list = false;
    let case = start(&client, options).await;
    case.running.synced().await;
    assert_eq!(case.running.names(), ["a", "b"]);
    until("the watch", || case.spy.log().len() == 2).await;
    assert_eq!(case.spy.log()[1], "watch \"N\"");
    case.secrets.delete("a").await;
    until("a is gone", || case.running.names() == ["b"]).await;
}

async fn a_handler_is_told_of_every_change(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    until("both are told", || case.told.all().len() == 2).await;
    assert_eq!(case.told.sorted(), ["*a", "*b"]);
    case.secrets.create("c", &[]).await;
    case.secrets.label("c", "shape", Some("oval")).await;
    case.secrets.delete("c").await;
    until("all is told", || case.told.all().len() == 5).await;
    assert_eq!(case.told.all()[2..], ["+c", "~c", "-c"]);
}

async fn a_late_handler_is_told_of_what_is_there(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    let late = Told::default();
    let registration = late.add_to(&case.running.informer);
    assert!(registration.wait_for_sync().await);
    assert_eq!(late.sorted(), ["*a", "*b"]);
    case.secrets.delete("a").await;
    until("the delete is told", || late.all().len() == 3).await;
    assert_eq!(late.all()[2], "-a");
}

async fn a_removed_handler_hears_nothing_more(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    let removed = Told::default();
    let registration = removed.add_to(&case.running.informer);
    assert!(registration.wait_for_sync().await);
    assert!(case.running.informer.remove_event_handler(&registration));
    case.secrets.create("c", &[]).await;
    until("the other handler hears of c", || {
        case.told.all().contains(&"+c".to_owned())
    })
    .await;
    assert_eq!(removed.sorted(), ["*a", "*b"]);
}

async fn an_object_that_leaves_the_label_selector_is_deleted(client: Client) {
    let source = ApiSourceOptions::default().label_selector("shape in (round,oval)");
    let case = start_with(&client, ReflectorOptions::default(), source).await;
    case.running.synced().await;
    assert_eq!(case.running.names(), ["a"]);
    case.secrets.label("b", "shape", Some("oval")).await;
    case.secrets.label("a", "shape", None).await;
    case.told.becomes(&["*a", "+b", "-a"]).await;
    assert_eq!(case.running.names(), ["b"]);
}

async fn a_field_selector_narrows_the_cache(client: Client) {
    let source = ApiSourceOptions::default().field_selector("metadata.name=b");
    let case = start_with(&client, ReflectorOptions::default(), source).await;
    case.running.synced().await;
    case.secrets.label("a", "shape", Some("oval")).await;
    case.secrets.label("b", "shape", Some("oval")).await;
    case.told.becomes(&["*b", "~b"]).await;
    assert_eq!(case.running.names(), ["b"]);
}

async fn only_metadata_is_asked_for(client: Client) {
    let namespace = namespace(&client).await;
    let secrets = Secrets::new(&client, &namespace);
    secrets.create("a", &[("shape", "round")]).await;
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        .namespace(&namespace)
        .build();
    let running = Running::run(factory.metadata_informer::<Secret>());
    running.synced().await;
    let cached = running.informer.store().list();
    assert_eq!(cached[0].labels()["shape"], "round");
    let types = cached[0].types.clone().unwrap();
    assert_eq!(
        (types.api_version.as_str(), types.kind.as_str()),
        ("meta.k8s.io/v1", "PartialObjectMetadata")
    );
    let changed = secrets.label("a", "shape", Some("oval")).await;
    until("the change is cached", || {
        running.cached()["a"] == version(&changed)
    })
    .await;
    secrets.delete("a").await;
    until("the delete is cached", || running.names().is_empty()).await;
}

async fn managed_fields_are_kept_on_request_only(client: Client) {
    for keep_managed_fields in [false, true] {
        let mut source = ApiSourceOptions::default();
        source.keep_managed_fields = keep_managed_fields;
        let case = start_with(&client, ReflectorOptions::default(), source).await;
        case.running.synced().await;
        let cached = case.running.informer.store().list();
        assert_eq!(
            !cached[0].managed_fields().is_empty(),
            keep_managed_fields,
            "{:?}",
            cached[0].metadata
        );
    }
}

async fn the_cache_of_one_namespace_leaves_out_others(client: Client) {
    let (here, there) = (namespace(&client).await, namespace(&client).await);
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        .namespace(&here)
        .build();
    let everywhere: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        .list_options(|params| params.label_selector = Some("shape=round".to_owned()))
        .build();
    let one = Running::run(factory.informer_for::<Secret>());
    let all = Running::run(everywhere.informer_for::<Secret>());
    one.synced().await;
    all.synced().await;
    let round = [("shape", "round")];
    Secrets::new(&client, &there).create("theirs", &round).await;
    Secrets::new(&client, &here).create("ours", &round).await;
    let lister = all.informer.lister();
    until("both are in the cache of all", || {
        lister.namespace(&here).get("ours").is_ok()
            && lister.namespace(&there).get("theirs").is_ok()
    })
    .await;
    until("ours is cached", || one.names() == ["ours"]).await;
}

async fn a_cluster_scoped_resource_is_cached(client: Client) {
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        // A factory's namespace does not apply to cluster-scoped kinds.
        .namespace("default")
        .build();
    let informer = factory.informer_for::<Namespace>();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    let name = namespace(&client).await;
    let lister = informer.lister();
    until("the namespace is cached", || lister.get(&name).is_ok()).await;
    assert!(lister.get("default").is_ok());
    factory.shutdown().await;
}

async fn a_finalized_object_is_updated_and_then_deleted(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    let mut object = super::common::secret("held", &[]);
    object.metadata.finalizers = Some(vec!["example.com/hold".to_owned()]);
    let api = &case.secrets.0;
    api.create(&PostParams::default(), &object).await.unwrap();
    case.secrets.delete("held").await;
    let lister = case.running.informer.lister();
    let namespace = lister.namespace(api.namespace().unwrap_or_default());
    until("the cache shows the deletion", || {
        namespace
            .get("held")
            .is_ok_and(|held| held.metadata.deletion_timestamp.is_some())
    })
    .await;
    let mut held = api.get("held").await.unwrap();
    held.metadata.finalizers = None;
    api.replace("held", &PostParams::default(), &held)
        .await
        .unwrap();
    until("all is told", || case.told.all().len() == 5).await;
    assert_eq!(case.told.all()[2..], ["+held", "~held", "-held"]);
}

async fn an_object_made_anew_has_another_uid(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    let uid = || {
        let objects = case.running.informer.store().list();
        objects.iter().find(|it| it.name_any() == "a")?.uid()
    };
    let before = uid().unwrap();
    case.secrets.delete("a").await;
    let made = case.secrets.create("a", &[]).await;
    until("the new one is cached", || uid() == made.uid()).await;
    assert_ne!(Some(before), made.uid());
    until("all is told", || case.told.all().len() == 4).await;
    assert_eq!(case.told.all()[2..], ["-a", "+a"]);
}

async fn the_lister_waits_for_a_write(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    case.running.synced().await;
    let lister = case.running.informer.lister();
    for n in 0..10 {
        let made = case.secrets.create(&format!("w{n}"), &[]).await;
        let version = made.resource_version().unwrap();
        lister
            .wait_for_resource_version(&version, PATIENCE)
            .await
            .unwrap();
        let namespace = lister.namespace(&made.namespace().unwrap());
        assert_eq!(
            namespace.get(&format!("w{n}")).unwrap().resource_version(),
            Some(version)
        );
    }
    assert_eq!(lister.list(&Selector::default()).len(), 12);
}

async fn the_cache_is_what_the_server_holds_in_the_end(client: Client) {
    let case = start(&client, ReflectorOptions::default()).await;
    let writers = (0..6).map(|writer| {
        let secrets = case.secrets.clone();
        async move {
            for round in 0..8 {
                let name = format!("w{writer}-{}", round % 3);
                let created = secrets
                    .0
                    .create(
                        &PostParams::default(),
                        &super::common::secret(&name, &[("round", "0")]),
                    )
                    .await;
                if created.is_err() {
                    secrets
                        .label(&name, "round", Some(&round.to_string()))
                        .await;
                }
                if round % 4 == 3 {
                    secrets
                        .0
                        .delete(&name, &DeleteParams::default())
                        .await
                        .unwrap();
                }
            }
        }
    });
    join_all(writers).await;
    let held = case.secrets.0.list(&ListParams::default()).await.unwrap();
    let held: BTreeMap<String, u64> = held
        .iter()
        .map(|object| (object.name_any(), version(object)))
        .collect();
    until("the cache has caught up", || case.running.cached() == held).await;
    // The handler's adds and deletes lead to the same state.
    until("the handler has caught up", || {
        let mut known = Vec::new();
        for entry in case.told.all() {
            let (sign, name) = entry.split_at(1);
            match sign {
                "*" | "+" => known.push(name.to_owned()),
                "-" | "?" => known.retain(|it| it != name),
                _ => assert!(known.contains(&name.to_owned()), "{entry}"),
            }
        }
        known.sort();
        known == held.keys().cloned().collect::<Vec<_>>()
    })
    .await;
}
