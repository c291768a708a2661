//! Admission and conversion webhooks: typed handlers, a router, and a TLS server.
//!
//! A [`Defaulter`] changes objects before they are stored, a [`Validator`] refuses them, a
//! [`Converter`] converts between versions. [`Webhooks`] routes reviews to them, at the paths of
//! kubebuilder's markers: `/mutate-GROUP-VERSION-KIND`, `/validate-…`, `/convert`. It is a
//! [`tower::Service`], so that tests call it without a socket (the embedded API server accepts it
//! as the backend of a service). [`WebhookServer`] serves it over TLS, and the
//! [manager](crate::manager::ManagerBuilder::webhooks) runs that server on every replica.
//!
//! ```
//! use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
//! use codegen_runtime::webhook::{AdmissionRequest, FieldError, Refusal, Validator, Warnings, Webhooks};
//!
//! struct Limits;
//!
//! impl Validator<Deployment> for Limits {
//!     async fn create(&self, new: &Deployment, _: &AdmissionRequest, warnings: &mut Warnings) -> Result<(), Refusal> {
//!         let replicas = new.spec.replicas.unwrap_or(1);
//!         if replicas > 5 {
//!             warnings.add("more than five replicas");
//!         }
//!         if replicas > 10 {
//!             return Err(FieldError::invalid("spec.replicas", replicas, "must be at most 10").into());
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let webhooks = Webhooks::builder()
//!     .defaulter(|deployment: &mut Deployment, _: &AdmissionRequest| {
//!         deployment.metadata.labels.get_or_insert_default().entry("team".into()).or_insert("none".into());
//!         Ok(())
//!     })
//!     .validator::<Deployment>(Limits)
//!     .build();
//! assert_eq!(webhooks.paths(), ["/mutate-apps-v1-deployment", "/validate-apps-v1-deployment"]);
//! ```
//!
//! This module has its own review types. kube's `AdmissionReview<K>` decodes the object together
//! with the request, so that for an object that does not decode there is no uid to respond with;
//! and its response type has no field errors.

mod admission;
mod connections;
mod conversion;
mod deadline;
mod declared;
mod envelope;
mod fault;
mod key;
mod list_keys;
mod losses;
mod pairs;
mod patch;
mod reading;
mod refusal;
mod review;
mod room;
mod router;
#[cfg(feature = "self-signed")]
mod self_signed;
mod server;
mod work;

pub use self::admission::{Defaulter, Validator};
pub use self::conversion::Converter;
pub use self::losses::lost_fields;
pub use self::refusal::Refusal;
pub use self::review::{AdmissionRequest, AdmissionResponse, Operation, Warnings};
pub use self::router::{Webhooks, WebhooksBuilder};
#[cfg(feature = "self-signed")]
pub use self::self_signed::{SelfSigned, SelfSignedError};
pub(crate) use self::server::SHUTDOWN_DELAY;
pub use self::server::{WebhookServer, WebhookServerError};
pub use crate::certificates::{CertificateError, Certificates};
pub use kube_schema::{FieldError, FieldErrorKind};

/// Returns the webhook path of a group, version and kind, as kubebuilder builds it.
fn path_of(prefix: &str, info: &crate::object::ResourceInfo) -> String {
    let group = info.group.replace('.', "-");
    format!(
        "/{prefix}-{group}-{}-{}",
        info.version,
        info.kind.to_lowercase()
    )
}
