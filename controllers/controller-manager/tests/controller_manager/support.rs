//! Helpers for tests of the program.

use std::future::Future;

use codegen_runtime::kube::Client;
use codegen_runtime::kube::api::{Api, DynamicObject, PostParams};
use codegen_runtime::kube::core::{ApiResource, GroupVersionKind};
use controller_manager::app::{Flags, app, setup};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// Runs the program with `args` for as long as `work` takes, and stops it in order.
pub(crate) async fn run_during<T>(
    client: Client,
    args: &[&str],
    work: impl Future<Output = T>,
) -> T {
    let invocation = app()
        .try_parse_from::<Flags>([&["controller-manager"], args].concat())
        .expect("flags");
    let (program, stop) = (app(), CancellationToken::new());
    let run = program.run_with(client, invocation.flags, invocation.own, setup, &stop);
    let work = async {
        let done = work.await;
        stop.cancel();
        done
    };
    let (result, done) = tokio::join!(run, work);
    result.expect("it ends in order");
    done
}

/// The objects of a kind; the namespace of a cluster-scoped one is empty.
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

/// Creates the object; the namespace of a cluster-scoped one is empty.
pub(crate) async fn create(client: Client, object: Value, namespace: &str) {
    let object: DynamicObject = serde_json::from_value(object).expect("an object");
    let types = object.types.clone().expect("types");
    let kind = GroupVersionKind::try_from(&types).expect("a kind");
    objects(client, &kind, namespace)
        .create(&PostParams::default(), &object)
        .await
        .expect("it is created");
}
