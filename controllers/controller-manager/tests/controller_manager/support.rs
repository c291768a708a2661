//! Helpers for tests of the program.

use std::future::Future;

use codegen_runtime::app::AppError;
use codegen_runtime::kube::Client;
use codegen_runtime::kube::api::{Api, DynamicObject, PostParams};
use codegen_runtime::kube::core::{ApiResource, GroupVersionKind};
use controller_manager::app::{Flags, app, setup};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Runs the program with `args` while `work` runs, then stops it gracefully.
pub(crate) async fn run_during<T>(
    client: Client,
    args: &[&str],
    work: impl Future<Output = T>,
) -> T {
    let ended = try_run_during(client, args, work).await;
    ended.expect("graceful shutdown")
}

/// Like [`run_during`], for a program that may fail, which cancels `work`.
pub(crate) async fn try_run_during<T>(
    client: Client,
    args: &[&str],
    work: impl Future<Output = T>,
) -> Result<T, AppError> {
    let invocation = app()
        .try_parse_from::<Flags>([&["controller-manager"], args].concat())
        .expect("flags");
    let (program, stop) = (app(), CancellationToken::new());
    let run = program.run_with(client, invocation.flags, invocation.own, setup, &stop);
    let work = async {
        let done = work.await;
        stop.cancel();
        Ok(done)
    };
    let ((), done) = tokio::try_join!(run, work)?;
    Ok(done)
}

/// Returns the objects of a kind; `namespace` is empty for a cluster-scoped one.
pub(crate) fn objects(
    client: Client,
    kind: &GroupVersionKind,
    namespace: &str,
) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(kind);
    if namespace.is_empty() {
        Api::all_with(client, &resource)
    } else {
        Api::namespaced_with(client, namespace, &resource)
    }
}

/// Creates an object; `namespace` is empty for a cluster-scoped one.
pub(crate) async fn create(client: Client, object: Value, namespace: &str) {
    let object: DynamicObject = serde_json::from_value(object).expect("an object");
    let types = object.types.clone().expect("types");
    let kind = GroupVersionKind::try_from(&types).expect("a kind");
    objects(client, &kind, namespace)
        .create(&PostParams::default(), &object)
        .await
        .expect("it is created");
}
