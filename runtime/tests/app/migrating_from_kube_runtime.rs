//! The code of docs/migrating-from-kube-runtime.md, which quotes it. What stood before is the same
//! but for `main`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::controller::kube_runtime::{self, Action};
use codegen_runtime::controller::{self, Controller, Reconciler as _, Request};
use codegen_runtime::fake::{self, Running};
use codegen_runtime::kube::api::{Api, ObjectMeta, Patch, PatchParams};
use codegen_runtime::kube::{self, Client, Resource, ResourceExt};
use codegen_runtime::manager::ManagerBuilder;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::website::{WEBSITES, Website};

struct Data {
    client: Client,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the website has no namespace")]
    NoNamespace,
    #[error(transparent)]
    Api(#[from] kube::Error),
}

async fn reconcile(site: Arc<Website>, data: Arc<Data>) -> Result<Action, Error> {
    let namespace = site.namespace().ok_or(Error::NoNamespace)?;
    let page = page(&site);
    let params = PatchParams::apply("website-controller").force();
    Api::<ConfigMap>::namespaced(data.client.clone(), &namespace)
        .patch(&page.name_any(), &params, &Patch::Apply(&page))
        .await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

fn error_policy(_site: Arc<Website>, error: &Error, _data: Arc<Data>) -> Action {
    tracing::warn!(%error, "trying again");
    Action::requeue(Duration::from_secs(5))
}

fn page(site: &Website) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            name: Some(format!("{}-html", site.name_any())),
            namespace: site.namespace(),
            owner_references: site.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        data: Some([("index.html".to_owned(), site.spec.html.clone())].into()),
        ..ConfigMap::default()
    }
}

fn main() -> ExitCode {
    App::new("website-controller", "0.1.0").main(setup)
}

async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
    let factory = process.factory();
    let client = factory.client().clone();
    let sites = factory.informer_for::<Website>().lister();
    let data = Arc::new(Data { client });
    let controller = Controller::builder("websites", &factory)
        .for_::<Website>()
        .owns::<ConfigMap>()
        .build(kube_runtime::reconciler(
            sites,
            reconcile,
            error_policy,
            data,
        ))?;
    Ok(process.manager(&factory)?.controller(controller))
}

/// The same controller, without the adapter.
mod native {
    use codegen_runtime::app::{BoxError, Process};
    use codegen_runtime::apply::{Applier, ApplyError};
    use codegen_runtime::controller::{Action, Context, Controller, Reconciler, Request};
    use codegen_runtime::kube::{Api, ResourceExt};
    use codegen_runtime::manager::ManagerBuilder;
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::page;
    use crate::website::Website;

    pub(super) struct Websites {
        context: Context<Website>,
        applier: Applier,
    }

    impl Websites {
        pub(super) fn new(context: Context<Website>) -> Self {
            let applier = Applier::new("website-controller").force();
            Self { context, applier }
        }
    }

    impl Reconciler for Websites {
        type Error = ApplyError;

        async fn reconcile(&self, request: Request) -> Result<Action, ApplyError> {
            let Some(site) = self.context.object(&request) else {
                return Ok(Action::done()); // deleted; its page goes with it
            };
            let namespace = site.namespace().unwrap_or_default();
            let pages = Api::<ConfigMap>::namespaced(self.context.client().clone(), &namespace);
            self.applier.apply(&pages, &page(&site)).await?;
            Ok(Action::done())
        }
    }

    pub(super) async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
        let factory = process.factory();
        let context = Context::<Website>::new(&factory, process.recorder());
        let controller = Controller::builder("websites", &factory)
            .for_::<Website>()
            .owns::<ConfigMap>()
            .build(Websites::new(context))?;
        Ok(process.manager(&factory)?.controller(controller))
    }
}

fn site(name: &str) -> Website {
    let mut site = Website::default();
    site.metadata.name = Some(name.to_owned());
    site.metadata.namespace = Some("default".to_owned());
    site.metadata.uid = Some(format!("uid-of-{name}"));
    site.spec.html = "<p>hello".to_owned();
    site
}

#[tokio::test]
async fn both_steps_publish_the_page_and_bring_it_back() {
    let _: fn() -> ExitCode = main;
    for is_native in [false, true] {
        let (client, tracker) = fake::serve(&[WEBSITES], [site("blog")]);
        let app = App::new("website-controller", "0.1.0");
        let running = match is_native {
            false => Running::program(app, client, &[], setup),
            true => Running::program(app, client, &[], native::setup),
        };
        let page = || tracker.get::<ConfigMap>("default", "blog-html");
        tracker.until(|| page().is_some()).await;
        tracker.remove::<ConfigMap>("default", "blog-html");
        tracker.until(|| page().is_some()).await;
        running.stop().await;
    }
}

#[tokio::test]
async fn a_call_of_the_reconciler_publishes_the_page() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site("blog")]);
    let data = Arc::new(Data { client });
    let action = reconcile(Arc::new(site("blog")), data).await.unwrap();
    assert_eq!(action, Action::requeue(Duration::from_secs(300)));
    assert!(tracker.get::<ConfigMap>("default", "blog-html").is_some());
}

#[tokio::test]
async fn a_call_of_the_native_reconciler_publishes_the_page() {
    let (client, tracker) = fake::serve(&[WEBSITES], [site("blog")]);
    let (context, _events) = fake::context::<Website>(client);
    let websites = native::Websites::new(context.started().await.unwrap());
    let request = Request::of(&site("blog"));
    let action = websites.reconcile(request).await.unwrap();
    assert_eq!(action, controller::Action::done());
    assert!(tracker.get::<ConfigMap>("default", "blog-html").is_some());
}
