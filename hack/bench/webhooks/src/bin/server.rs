//! Serves a defaulter of pods with this project's runtime: `server <listen> <folder>`. Writes a
//! certificate into the folder first.

use codegen_runtime::webhook::{AdmissionRequest, Certificates, Refusal, WebhookServer, Webhooks};
use k8s_openapi::api::core::v1::Pod;
use tokio_util::sync::CancellationToken;

/// Sets a label, and the pull policy of each container.
fn default_pod(pod: &mut Pod, _: &AdmissionRequest) -> Result<(), Refusal> {
    let labels = pod.metadata.labels.get_or_insert_default();
    labels
        .entry("team".to_owned())
        .or_insert_with(|| "none".to_owned());
    for container in pod.spec.iter_mut().flat_map(|spec| &mut spec.containers) {
        container
            .image_pull_policy
            .get_or_insert_with(|| "IfNotPresent".to_owned());
    }
    Ok(())
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [listen, folder] = arguments.as_slice() else {
        panic!("usage: server <listen> <folder>");
    };
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    std::fs::write(format!("{folder}/tls.crt"), made.cert.pem()).unwrap();
    std::fs::write(
        format!("{folder}/tls.key"),
        made.signing_key.serialize_pem(),
    )
    .unwrap();
    let certificates = Certificates::from_folder(folder).unwrap();
    let webhooks = Webhooks::builder().defaulter(default_pod).build();
    let server = WebhookServer::bind(listen, certificates, webhooks)
        .await
        .unwrap();
    println!("listening");
    server.run(&CancellationToken::new()).await;
}
