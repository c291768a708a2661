//! The code of docs/controllers.md, which quotes it.

use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::apply::{Applier, ApplyError};
use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::{
    Action, BuildError, Change, Context, Controller, ErrorPolicy, Predicate, Reconciler, Request,
    predicates, reconcile_with, run_workers,
};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::fake::{self, Running};
use codegen_runtime::informer::{SharedInformerFactory, handler};
use codegen_runtime::kube::api::{DeleteParams, ObjectMeta, PostParams};
use codegen_runtime::kube::{self, Api, ResourceExt};
use codegen_runtime::lister::Lister;
use codegen_runtime::manager::{Manager, ManagerBuilder, RunContext, Runnable};
use codegen_runtime::owner::{self, OwnerError};
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::WorkQueue;
use codegen_runtime::{condition, finalizer};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tokio_util::sync::CancellationToken;

use crate::website::{Dns, WEBSITES, Website};

fn empty(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
) -> Result<Controller, BuildError> {
    let context = Context::<Website>::new(factory, recorder);
    Controller::builder("websites", factory)
        .for_::<Website>()
        .build(reconcile_with(context, |request, context| async move {
            let Some(site) = context.object(&request) else {
                return Ok(Action::done()); // deleted since the request was queued
            };
            tracing::info!(site = %request.key, length = site.spec.html.len(), "seen");
            Ok::<_, kube::Error>(Action::done())
        }))
}

async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
    let factory = process.factory();
    let controller = empty(&factory, process.recorder())?;
    Ok(process.manager(&factory)?.controller(controller))
}

fn app() -> App {
    App::new("website-controller", "0.1.0").about("Publishes websites")
}

const FINALIZER: &str = "example.com/dns";

struct Websites {
    context: Context<Website>,
    applier: Applier,
    dns: Dns,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("spec.html is empty")]
    Empty,
    #[error(transparent)]
    Owner(#[from] OwnerError),
    #[error(transparent)]
    Apply(#[from] ApplyError),
    #[error(transparent)]
    Api(#[from] kube::Error),
}

impl Reconciler for Websites {
    type Error = Error;

    async fn reconcile(&self, request: Request) -> Result<Action, Error> {
        let Some(site) = self.context.object(&request) else {
            return Ok(Action::done());
        };
        let Some(site) = self.finalize(&site).await? else {
            return Ok(Action::done());
        };
        self.publish(&site).await?;
        self.report(&site).await?;
        Ok(Action::done())
    }

    fn error_policy(&self, request: &Request, error: &Error) -> ErrorPolicy {
        match error {
            // Only a change of the spec can help, and that is a new request.
            Error::Empty => {
                if let Some(site) = self.context.object(request) {
                    let recorder = self.context.recorder();
                    recorder.warning(&*site, "Empty", "Publish", error.to_string());
                }
                ErrorPolicy::Terminal
            }
            _ => ErrorPolicy::Retry,
        }
    }
}

impl Websites {
    fn new(context: Context<Website>, dns: Dns) -> Self {
        let applier = Applier::new("website-controller").force();
        Self {
            context,
            applier,
            dns,
        }
    }

    fn api<K>(&self, site: &Website) -> Api<K>
    where
        K: kube::Resource<DynamicType = (), Scope = kube::core::NamespaceResourceScope>,
    {
        let namespace = site.namespace().unwrap_or_default();
        Api::namespaced(self.context.client().clone(), &namespace)
    }

    async fn publish(&self, site: &Website) -> Result<(), Error> {
        if site.spec.html.is_empty() {
            return Err(Error::Empty);
        }
        let metadata = ObjectMeta {
            name: Some(format!("{}-html", site.name_any())),
            namespace: site.namespace(),
            ..ObjectMeta::default()
        };
        let mut page = ConfigMap {
            metadata,
            data: Some([("index.html".to_owned(), site.spec.html.clone())].into()),
            ..ConfigMap::default()
        };
        owner::set_controller_reference(site, &mut page)?;
        let pages = self.api::<ConfigMap>(site);
        self.applier.apply(&pages, &page).await?;
        Ok(())
    }

    async fn finalize(&self, site: &Website) -> Result<Option<Website>, Error> {
        let sites = self.api::<Website>(site);
        if finalizer::is_deleting(site) {
            self.dns.remove(&site.name_any());
            finalizer::release(&sites, site, FINALIZER).await?;
            return Ok(None);
        }
        // First the finalizer, then what it guards: a crash in between leaves nothing behind.
        let site = finalizer::ensure(&sites, site, FINALIZER).await?;
        self.dns.add(&site.name_any());
        Ok(Some(site))
    }

    async fn report(&self, site: &Website) -> Result<(), Error> {
        let mut site = site.clone();
        let generation = site.metadata.generation;
        let ready = condition::new("Ready", true, "Published", "the page is served", generation);
        let status = site.status.get_or_insert_default();
        if !condition::set(&mut status.conditions, ready) {
            return Ok(()); // a write that changes nothing would wake every watcher
        }
        let namespace = site.namespace().unwrap_or_default();
        let sites = TypedClient::<Website>::namespaced(self.context.client().clone(), &namespace);
        let site = sites.update_status(&site, &PostParams::default()).await?;
        let recorder = self.context.recorder();
        recorder.normal(&site, "Published", "Publish", "the page is served");
        Ok(())
    }
}

fn controller(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
    dns: Dns,
) -> Result<Controller, BuildError> {
    let context = Context::<Website>::new(factory, recorder);
    Controller::builder("websites", factory)
        .for_::<Website>()
        .owns::<ConfigMap>()
        .workers(2)
        .build(Websites::new(context, dns))
}

fn with_certificates(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
) -> Result<Controller, BuildError> {
    let context = Context::<Website>::new(factory, recorder);
    let sites = context.lister().clone();
    let missed = Predicate::<ConfigMap>::new(|change| match change {
        Change::Deleted(deleted) => deleted.is_final_state_unknown(),
        _ => false,
    });
    Controller::builder("certificates", factory)
        .for_when::<Website>(predicates::generation_changed())
        .watches::<Secret>(move |secret| {
            let namespace = secret.namespace().unwrap_or_default();
            let beside = sites.namespace(&namespace).list(&Default::default());
            beside.iter().map(|site| ObjectKey::of(&**site)).collect()
        })
        .match_every_owner()
        .owns_when::<ConfigMap>(missed.negate())
        .build(reconcile_with(context, |request, context| async move {
            let secrets = context.lister_of::<Secret>()?;
            let namespace = request.namespace().unwrap_or_default();
            let found = secrets.namespace(namespace).get("certificate").is_ok();
            tracing::info!(site = %request.key, found, "certificate");
            Ok::<_, BoxError>(Action::done())
        }))
}

fn on_every_replica(
    factory: &SharedInformerFactory,
    recorder: EventRecorder,
) -> Result<Controller, BuildError> {
    let context = Context::<Website>::new(factory, recorder);
    Controller::builder("cached-pages", factory)
        .for_::<Website>()
        .needs_leader_election(false)
        .build(reconcile_with(context, |_, _| async {
            Ok::<_, kube::Error>(Action::done())
        }))
}

struct WhileInstalled {
    factory: SharedInformerFactory,
    recorder: EventRecorder,
    installed: CancellationToken,
}

impl Runnable for WhileInstalled {
    fn name(&self) -> &str {
        "websites-while-installed"
    }

    async fn run(&self, context: RunContext) -> Result<(), BoxError> {
        let sites = self.factory.informer_for::<Website>();
        let controller = empty(&self.factory, self.recorder.clone())?;
        let stop = context.stop.child_token();
        self.factory.start(&stop); // starts only informers that do not run yet
        tokio::select! {
            ended = controller.run(&stop, context.leadership.as_ref()) => ended?,
            () = self.installed.cancelled() => {}
        }
        self.factory.remove(&sites); // or it would list a kind that is gone, for ever
        Ok(())
    }
}

async fn classic(
    factory: &SharedInformerFactory,
    stop: &CancellationToken,
    published: Dns,
) -> Result<(), BoxError> {
    let informer = factory.informer_for::<Website>();
    let queue = WorkQueue::<ObjectKey>::builder().name("websites").build();
    let (added, updated, deleted) = (queue.clone(), queue.clone(), queue.clone());
    informer.add_event_handler(
        handler::funcs::<Website>()
            .on_add(move |site, _| added.add(ObjectKey::of(&**site)))
            .on_update(move |_, site| updated.add(ObjectKey::of(&**site)))
            .on_delete(move |site| deleted.add(site.key())),
    )?;
    factory.start(stop);
    factory.wait_for_cache_sync().await?;
    let (lister, keys) = (informer.lister(), queue.clone());
    run_workers(&keys, 2, stop, move |key| {
        let (lister, queue, published) = (lister.clone(), queue.clone(), published.clone());
        async move {
            match sync(&lister, &key, &published).await {
                Ok(()) => queue.forget(&key),
                Err(error) => {
                    tracing::warn!(site = %key, %error, "trying again");
                    queue.add_rate_limited(key);
                }
            }
        }
    })
    .await;
    Ok(())
}

async fn sync(lister: &Lister<Website>, key: &ObjectKey, dns: &Dns) -> Result<(), BoxError> {
    match lister.get(key) {
        Ok(site) => dns.add(&site.name_any()),
        Err(_) => dns.remove(key.name()),
    }
    Ok(())
}

fn site(name: &str, html: &str) -> Website {
    let mut site = Website::default();
    site.metadata.name = Some(name.to_owned());
    site.metadata.namespace = Some("default".to_owned());
    site.spec.html = html.to_owned();
    site
}

#[tokio::test]
async fn a_website_is_published_and_reported() {
    let blog = site("blog", "<p>hello");
    let (client, tracker) = fake::serve(&[WEBSITES], [blog.clone()]);
    let (context, mut events) = fake::context::<Website>(client);
    let websites = Websites::new(context.started().await.unwrap(), Dns::default());

    let action = websites.reconcile(Request::of(&blog)).await.unwrap();
    assert_eq!(action, Action::done());
    let page: ConfigMap = tracker.get("default", "blog-html").unwrap();
    assert_eq!(page.data.unwrap()["index.html"], "<p>hello");
    assert!(events.of_reason("Published").await.is_some());
}

#[tokio::test]
async fn a_deleted_website_leaves_nothing_behind() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site("blog", "<p>hello")]);
    let (recorder, _events) = fake::recorder();
    let dns = Dns::default();
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client.clone()).build();
    let controller = controller(&factory, recorder, dns.clone()).unwrap();
    let manager = Manager::builder(&factory).controller(controller);
    let manager = manager.build().unwrap();
    let running = Running::spawn(async move |stop| manager.run(&stop).await);

    let page = || tracker.get::<ConfigMap>("default", "blog-html");
    tracker.until(|| page().is_some()).await;
    assert_eq!(dns.names(), ["blog"]);
    let sites = Api::<Website>::namespaced(client, "default");
    sites
        .delete("blog", &DeleteParams::default())
        .await
        .unwrap();
    let gone = || tracker.get::<Website>("default", "blog").is_none();
    tracker.until(gone).await;
    assert_eq!(dns.names(), [""; 0]);
    running.stop().await;
}

#[tokio::test]
async fn an_empty_website_is_refused_until_its_spec_changes() {
    let draft = site("draft", "");
    let (client, _tracker) = fake::serve(&[WEBSITES], [draft.clone()]);
    let (context, mut events) = fake::context::<Website>(client);
    let websites = Websites::new(context.started().await.unwrap(), Dns::default());
    let request = Request::of(&draft);
    let error = websites.reconcile(request.clone()).await.unwrap_err();
    let policy = websites.error_policy(&request, &error);
    assert_eq!(policy, ErrorPolicy::Terminal);
    let event = events.of_reason("Empty").await.unwrap();
    assert_eq!(event.note.as_deref(), Some("spec.html is empty"));
}

#[tokio::test]
async fn the_classic_controller_follows_the_informer() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site("blog", "<p>hello")]);
    let dns = Dns::default();
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client).build();
    let published = dns.clone();
    let running = Running::spawn(async move |stop| classic(&factory, &stop, published).await);
    let names = |count: usize| {
        let dns = dns.clone();
        async move {
            while dns.names().len() != count {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
        }
    };
    names(1).await;
    tracker.add(site("shop", "<p>buy")).unwrap();
    names(2).await;
    tracker.remove::<Website>("default", "blog");
    names(1).await;
    assert_eq!(dns.names(), ["shop"]);
    running.stop().await;
}

#[tokio::test]
async fn the_program_runs_and_the_other_controllers_are_built() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site("blog", "<p>hello")]);
    let running = Running::program(app(), client.clone(), &[], setup);
    let lists = || tracker.actions().iter().any(|it| it.resource == "websites");
    while !lists() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    running.stop().await;

    let factory: SharedInformerFactory = SharedInformerFactory::builder(client)
        .namespaces(["team-a", "team-b"])
        .build();
    let (recorder, _events) = fake::recorder();
    assert!(with_certificates(&factory, recorder.clone()).is_ok());
    let everywhere = on_every_replica(&factory, recorder.clone()).unwrap();
    assert!(!everywhere.needs_leader_election());
    let installed = CancellationToken::new();
    let follower = WhileInstalled {
        factory: factory.clone(),
        recorder,
        installed: installed.clone(),
    };
    let manager = Manager::builder(&factory).runnable(follower);
    let manager = manager.build().unwrap();
    let running = Running::spawn(async move |stop| manager.run(&stop).await);
    let informers = factory.clone();
    installed.cancel();
    let websites = |factory: &SharedInformerFactory| {
        let stats = factory.stats();
        stats.iter().any(|it| it.name.starts_with("websites"))
    };
    while websites(&informers) {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    running.stop().await;
}
