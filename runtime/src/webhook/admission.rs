//! Typed admission handlers.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use super::patch::carry;
use super::{AdmissionRequest, AdmissionResponse, Operation, Refusal, Warnings};
use crate::object::{Object, ResourceInfo};

/// Changes objects of a kind before they are stored, on creation and update.
///
/// Also implemented by functions: `|object: &mut K, request: &AdmissionRequest| -> Result<(), Refusal>`.
pub trait Defaulter<K: Object>: Send + Sync + 'static {
    /// Changes the object. It may be called twice for one request, so it must be idempotent.
    ///
    /// # Errors
    /// Refuses the request.
    fn default(
        &self,
        object: &mut K,
        request: &AdmissionRequest,
    ) -> impl Future<Output = Result<(), Refusal>> + Send;
}

impl<K, F> Defaulter<K> for F
where
    K: Object,
    F: Fn(&mut K, &AdmissionRequest) -> Result<(), Refusal> + Send + Sync + 'static,
{
    async fn default(&self, object: &mut K, request: &AdmissionRequest) -> Result<(), Refusal> {
        self(object, request)
    }
}

/// Refuses objects of a kind, or warns about them. Methods that are not implemented accept every object.
pub trait Validator<K: Object>: Send + Sync + 'static {
    /// Validates a new object.
    ///
    /// # Errors
    /// Refuses the request.
    fn create(
        &self,
        new: &K,
        request: &AdmissionRequest,
        warnings: &mut Warnings,
    ) -> impl Future<Output = Result<(), Refusal>> + Send {
        let _ = (new, request, warnings);
        std::future::ready(Ok(()))
    }

    /// Validates an update, with the old state.
    ///
    /// # Errors
    /// Refuses the request.
    fn update(
        &self,
        old: &K,
        new: &K,
        request: &AdmissionRequest,
        warnings: &mut Warnings,
    ) -> impl Future<Output = Result<(), Refusal>> + Send {
        let _ = (old, new, request, warnings);
        std::future::ready(Ok(()))
    }

    /// Validates the deletion of an object.
    ///
    /// # Errors
    /// Refuses the request.
    fn delete(
        &self,
        old: &K,
        request: &AdmissionRequest,
        warnings: &mut Warnings,
    ) -> impl Future<Output = Result<(), Refusal>> + Send {
        let _ = (old, request, warnings);
        std::future::ready(Ok(()))
    }
}

/// A handler with its types erased.
pub(super) type Handler =
    Arc<dyn Fn(AdmissionRequest) -> BoxFuture<'static, AdmissionResponse> + Send + Sync>;

/// Wraps a defaulter as a handler.
pub(super) fn defaulting<K: Object>(defaulter: impl Defaulter<K>) -> Handler {
    let defaulter = Arc::new(defaulter);
    Arc::new(move |request| {
        let defaulter = defaulter.clone();
        Box::pin(async move {
            match default_object(&*defaulter, &request).await {
                Ok(response) => response,
                Err(refusal) => AdmissionResponse::refuse(refusal),
            }
        })
    })
}

async fn default_object<K: Object>(
    defaulter: &impl Defaulter<K>,
    request: &AdmissionRequest,
) -> Result<AdmissionResponse, Refusal> {
    if request.object.is_null() {
        return Ok(AdmissionResponse::allow());
    }
    check_kind::<K>(request)?;
    let mut object: K = request.decode()?;
    let before = encode(&object)?;
    defaulter.default(&mut object, request).await?;
    let changed = carry(&request.object, &before, &encode(&object)?);
    Ok(AdmissionResponse::change(request, &changed))
}

fn encode<K: Object>(object: &K) -> Result<Value, Refusal> {
    serde_json::to_value(object)
        .map_err(|error| Refusal::internal(format!("the object cannot be encoded: {error}")))
}

/// Wraps a validator as a handler.
pub(super) fn validating<K: Object>(validator: impl Validator<K>) -> Handler {
    let validator = Arc::new(validator);
    Arc::new(move |request| {
        let validator = validator.clone();
        Box::pin(async move {
            let mut warnings = Warnings::default();
            let outcome = validate(&*validator, &request, &mut warnings).await;
            AdmissionResponse::from(outcome).with_warnings(warnings)
        })
    })
}

async fn validate<K: Object>(
    validator: &impl Validator<K>,
    request: &AdmissionRequest,
    warnings: &mut Warnings,
) -> Result<(), Refusal> {
    if request.operation == Operation::Connect {
        // The object contains options of the connection, such as PodExecOptions. A validator has no method for these.
        return Ok(());
    }
    check_kind::<K>(request)?;
    match request.operation {
        Operation::Create => {
            let new = request.decode()?;
            validator.create(&new, request, warnings).await
        }
        Operation::Update => {
            let (old, new) = (request.decode_old()?, request.decode()?);
            validator.update(&old, &new, request, warnings).await
        }
        Operation::Delete => {
            let old = request.decode_old()?;
            validator.delete(&old, request, warnings).await
        }
        Operation::Connect => Ok(()),
    }
}

fn check_kind<K: Object>(request: &AdmissionRequest) -> Result<(), Refusal> {
    let wanted = ResourceInfo::of::<K>(&()).group_version_kind();
    if request.kind == wanted {
        return Ok(());
    }
    let show =
        |it: &kube::core::GroupVersionKind| format!("{}, Kind={}", it.api_version(), it.kind);
    Err(Refusal::bad_request(format!(
        "this webhook takes {}, not {}: check the rules of its configuration",
        show(&wanted),
        show(&request.kind)
    )))
}
