//! The code of docs/migrating-from-controller-runtime.md, which quotes it: hack/oracles/website has
//! the same operator in Go.

use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::apply::{CreateOrUpdateError, create_or_update};
use codegen_runtime::client::TypedClient;
use codegen_runtime::condition;
use codegen_runtime::controller::{Action, Context, Controller, Reconciler, Request};
use codegen_runtime::fake::{self, Running};
use codegen_runtime::kube::api::{ObjectMeta, PostParams};
use codegen_runtime::kube::{self, Api, ResourceExt};
use codegen_runtime::manager::ManagerBuilder;
use codegen_runtime::owner;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::website::{WEBSITES, Website};

struct WebsiteReconciler {
    context: Context<Website>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("cannot write the page")]
    Page(#[from] CreateOrUpdateError),
    #[error("cannot write the status")]
    Status(#[from] kube::Error),
}

// +kubebuilder:rbac:groups=example.com,resources=websites,verbs=list;watch
// +kubebuilder:rbac:groups=example.com,resources=websites/status,verbs=update
// +kubebuilder:rbac:groups=example.com,resources=websites/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update
impl Reconciler for WebsiteReconciler {
    type Error = Error;

    async fn reconcile(&self, request: Request) -> Result<Action, Error> {
        let Some(site) = self.context.object(&request) else {
            return Ok(Action::done());
        };
        let client = self.context.client().clone();
        let namespace = site.namespace().unwrap_or_default();

        let page = ConfigMap {
            metadata: ObjectMeta {
                name: Some(format!("{}-html", site.name_any())),
                namespace: site.namespace(),
                ..ObjectMeta::default()
            },
            ..ConfigMap::default()
        };
        let pages = Api::<ConfigMap>::namespaced(client.clone(), &namespace);
        create_or_update(&pages, page, |page| {
            page.data = Some([("index.html".to_owned(), site.spec.html.clone())].into());
            Ok(owner::set_controller_reference(&*site, page)?)
        })
        .await?;

        let mut site = (*site).clone();
        let generation = site.metadata.generation;
        let ready = condition::new("Ready", true, "Published", "the page is served", generation);
        let status = site.status.get_or_insert_default();
        if condition::set(&mut status.conditions, ready) {
            let sites = TypedClient::<Website>::namespaced(client, &namespace);
            sites.update_status(&site, &PostParams::default()).await?;
        }
        Ok(Action::done())
    }
}

async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
    let factory = process.factory();
    let context = Context::<Website>::new(&factory, process.recorder());
    let controller = Controller::builder("website", &factory)
        .for_::<Website>()
        .owns::<ConfigMap>()
        .build(WebsiteReconciler { context })?;
    Ok(process.manager(&factory)?.controller(controller))
}

fn site() -> Website {
    let mut site = Website::default();
    site.metadata.name = Some("blog".to_owned());
    site.metadata.namespace = Some("default".to_owned());
    site.spec.html = "<p>hello".to_owned();
    site
}

#[tokio::test]
async fn it_publishes() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site()]);
    let (context, _events) = fake::context::<Website>(client);
    let context = context.started().await.unwrap();
    let reconciler = WebsiteReconciler { context };
    let action = reconciler.reconcile(Request::of(&site())).await.unwrap();
    assert_eq!(action, Action::done());
    let page: ConfigMap = tracker.get("default", "blog-html").unwrap();
    assert_eq!(page.data.unwrap()["index.html"], "<p>hello");
}

#[tokio::test]
async fn it_publishes_when_it_runs() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site()]);
    let app = App::new("website-controller", "0.1.0");
    let running = Running::program(app, client, &[], setup);
    let is_ready = || {
        let site = tracker.get::<Website>("default", "blog");
        let status = site.and_then(|it| it.status);
        status.is_some_and(|it| condition::is_true(&it.conditions, "Ready"))
    };
    tracker.until(is_ready).await;
    running.stop().await;
}
