//! Running controllers: owners and their objects, races, and eventual reconciliation of everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codegen_runtime::controller::{Action, Controller, Request, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::owner;
use codegen_runtime::retry;
use futures::future::join_all;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::Selector;
use kube::{Api, Client, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::common::secret;
use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::namespace;

/// The embedded server collects garbage itself; elsewhere, kube-controller-manager does.
mod collected {
    use crate::harness::cases;

    use super::a_deleted_owner_takes_along_what_it_owns;

    cases![controllers: a_deleted_owner_takes_along_what_it_owns];
}

cases![
    every_owner_gets_what_it_owns,
    what_is_deleted_is_made_again,
    what_was_changed_is_mended,
    orphans_are_adopted_and_strangers_left_alone,
    lost_races_are_run_again,
];

/// A controller that creates, for every ConfigMap with the label `app`, a Secret of the same name,
/// labelled `kept=yes`.
struct Case {
    maps: Api<ConfigMap>,
    secrets: Api<Secret>,
    factory: SharedInformerFactory,
    stop: CancellationToken,
    _task: JoinHandle<()>,
}

impl Drop for Case {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn start(client: &Client) -> Case {
    let namespace = namespace(client).await;
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone())
        .namespace(&namespace)
        .build();
    let maps = factory.informer_for::<ConfigMap>().lister();
    let kept = factory.informer_for::<Secret>().lister();
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &namespace);
    let reconciler = reconcile_fn({
        let secrets = secrets.clone();
        move |request: Request| {
            let (maps, kept, secrets) = (maps.clone(), kept.clone(), secrets.clone());
            async move {
                let Ok(map) = maps.get(request.key.as_str()) else {
                    return Ok(Action::done());
                };
                if !map.labels().contains_key("app") {
                    return Ok(Action::done());
                }
                match kept.get(request.key.as_str()) {
                    Err(_) => {
                        let mut child = secret(&map.name_any(), &[("kept", "yes")]);
                        child.metadata.namespace = map.namespace();
                        owner::set_controller_reference(&*map, &mut child).unwrap();
                        secrets.create(&PostParams::default(), &child).await?;
                    }
                    Ok(child) if child.labels().get("kept").is_none_or(|kept| kept != "yes") => {
                        let patch = Patch::Merge(json!({"metadata": {"labels": {"kept": "yes"}}}));
                        secrets
                            .patch(&map.name_any(), &PatchParams::default(), &patch)
                            .await?;
                    }
                    Ok(_) => {}
                }
                Ok::<_, kube::Error>(Action::done())
            }
        }
    });
    let controller = Controller::builder("test", &factory)
        .for_::<ConfigMap>()
        .owns::<Secret>()
        .workers(2)
        .build(reconciler)
        .unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { controller.run(&stop, None).await.unwrap() }
    });
    Case {
        maps: Api::namespaced(client.clone(), &namespace),
        secrets,
        factory,
        stop,
        _task: task,
    }
}

impl Case {
    async fn owner(&self, name: &str) -> ConfigMap {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.to_owned());
        map.metadata.labels = Some([("app".to_owned(), name.to_owned())].into());
        self.maps
            .create(&PostParams::default(), &map)
            .await
            .unwrap()
    }

    /// Returns the secret with that name, once it satisfies `is`.
    async fn secret(&self, name: &str, is: impl Fn(&Secret) -> bool) -> Secret {
        eventually(&format!("the secret {name}"), || async {
            self.secrets
                .get_opt(name)
                .await
                .unwrap()
                .filter(|it| is(it))
        })
        .await
    }
}

async fn every_owner_gets_what_it_owns(client: Client) {
    let case = start(&client).await;
    let owners = join_all((0..10).map(|n| {
        let name = format!("m{n}");
        let case = &case;
        async move { case.owner(&name).await }
    }))
    .await;
    for map in owners {
        let child = case.secret(&map.name_any(), |_| true).await;
        assert!(owner::is_controlled_by(&child, &map));
    }
    let params = ListParams::default().labels("kept=yes");
    assert_eq!(case.secrets.list(&params).await.unwrap().items.len(), 10);
    assert_eq!(case.factory.stats().len(), 2, "one informer a type");
}

async fn what_is_deleted_is_made_again(client: Client) {
    let case = start(&client).await;
    case.owner("a").await;
    let first = case.secret("a", |_| true).await;
    let params = DeleteParams::default();
    case.secrets.delete("a", &params).await.unwrap();
    case.secret("a", |second| second.uid() != first.uid()).await;
}

async fn what_was_changed_is_mended(client: Client) {
    let case = start(&client).await;
    case.owner("a").await;
    case.secret("a", |_| true).await;
    let patch = Patch::Merge(json!({"metadata": {"labels": {"kept": "no"}}}));
    let params = PatchParams::default();
    case.secrets.patch("a", &params, &patch).await.unwrap();
    case.secret("a", |it| it.labels()["kept"] == "yes").await;
}

async fn a_deleted_owner_takes_along_what_it_owns(client: Client) {
    let case = start(&client).await;
    case.owner("a").await;
    case.secret("a", |_| true).await;
    let params = DeleteParams::background();
    case.maps.delete("a", &params).await.unwrap();
    eventually("the secret is gone", || async {
        case.secrets
            .get_opt("a")
            .await
            .unwrap()
            .is_none()
            .then_some(())
    })
    .await;
}

async fn orphans_are_adopted_and_strangers_left_alone(client: Client) {
    let namespace = namespace(&client).await;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &namespace);
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &namespace);
    let params = PostParams::default();
    let mut map = ConfigMap::default();
    map.metadata.name = Some("owner".to_owned());
    let map = maps.create(&params, &map).await.unwrap();
    let mut objects = Vec::new();
    for (name, app) in [("orphan", "mine"), ("stranger", "other")] {
        let object = secret(name, &[("app", app)]);
        objects.push(Arc::new(secrets.create(&params, &object).await.unwrap()));
    }
    let selector: Selector = [("app".to_owned(), "mine".to_owned())]
        .into_iter()
        .collect();
    let manager = owner::ControllerRefManager::new(&map, maps.clone(), secrets.clone(), selector);
    let claimed = manager.claim(objects.clone()).await.unwrap();
    assert_eq!(claimed.len(), 1);
    let orphan = secrets.get("orphan").await.unwrap();
    assert!(owner::is_controlled_by(&orphan, &map));
    let stranger = secrets.get("stranger").await.unwrap();
    assert!(stranger.owner_references().is_empty());
    // A deleted owner adopts nothing.
    let late = secrets
        .create(&params, &secret("late", &[("app", "mine")]))
        .await
        .unwrap();
    maps.delete("owner", &DeleteParams::default())
        .await
        .unwrap();
    let outdated = manager.claim([Arc::new(late)]).await.unwrap_err();
    assert!(retry::is_conflict(&outdated), "{outdated}");
    let late = secrets.get("late").await.unwrap();
    assert!(late.owner_references().is_empty());
}

async fn lost_races_are_run_again(client: Client) {
    let namespace = namespace(&client).await;
    let secrets: Api<Secret> = Api::namespaced(client.clone(), &namespace);
    let params = PostParams::default();
    let object = secret("a", &[("count", "0")]);
    secrets.create(&params, &object).await.unwrap();
    let lost = AtomicU32::new(0);
    let backoff = retry::DEFAULT_RETRY.steps(100);
    let writers = (0..6).map(|_| {
        retry::on_conflict(backoff, || async {
            let mut object = secrets.get("a").await?;
            let labels = object.labels_mut();
            let count: u32 = labels["count"].parse().unwrap();
            labels.insert("count".to_owned(), (count + 1).to_string());
            let result = secrets.replace("a", &PostParams::default(), &object).await;
            if result.as_ref().is_err_and(retry::is_conflict) {
                lost.fetch_add(1, Ordering::Relaxed);
            }
            result
        })
    });
    for result in join_all(writers).await {
        result.unwrap();
    }
    let object = secrets.get("a").await.unwrap();
    assert_eq!(object.labels()["count"], "6");
    assert!(lost.load(Ordering::Relaxed) > 0, "nobody lost a race");
}
