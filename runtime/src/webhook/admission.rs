//! Typed admission handlers.

use std::any::type_name;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use serde_json::Value;

use super::declared::Schemas;
use super::list_keys::Place;
use super::patch::carry;
use super::work;
use super::{AdmissionRequest, AdmissionResponse, Operation, Refusal, Warnings};
use crate::object::{Object, ResourceInfo};

/// Changes objects of a kind before they are stored, on creation and update.
///
/// It is not called for updates of an object that is being deleted if only metadata changes, as
/// when a finalizer is removed.
///
/// Also implemented by functions:
/// `|object: &mut K, request: &AdmissionRequest| -> Result<(), Refusal>`.
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

/// Refuses objects of a kind, or warns about them. Methods that are not implemented accept every
/// object, and so do not decode any: without [`delete`](Self::delete), an object of an older schema
/// can be deleted.
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
        NotImplemented
    }

    /// Validates an update, with the old state. It is not called if the object is being deleted and
    /// only metadata changes, as when a finalizer is removed: such an object must be able to go,
    /// whatever its state.
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
        NotImplemented
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
        NotImplemented
    }
}

/// The future of a method that is not implemented, by whose type a handler knows it.
struct NotImplemented;

impl Future for NotImplemented {
    type Output = Result<(), Refusal>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(()))
    }
}

/// The operations that a validator has a method for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Implemented {
    create: bool,
    update: bool,
    delete: bool,
}

impl Implemented {
    fn of<K: Object, V: Validator<K>>() -> Self {
        type Method<'a, K, V, F> = fn(&'a V, &'a K, &'a AdmissionRequest, &'a mut Warnings) -> F;
        type Update<'a, K, V, F> =
            fn(&'a V, &'a K, &'a K, &'a AdmissionRequest, &'a mut Warnings) -> F;

        // The type of a future is opaque, and its lifetime excludes `TypeId`. Names serve as well:
        // no other type has the name of a private type of this module.
        fn is_implemented<F: Future>() -> bool {
            type_name::<F>() != type_name::<NotImplemented>()
        }
        fn method<'a, K: 'a, V: 'a, F: Future>(_: Method<'a, K, V, F>) -> bool {
            is_implemented::<F>()
        }
        fn update<'a, K: 'a, V: 'a, F: Future>(_: Update<'a, K, V, F>) -> bool {
            is_implemented::<F>()
        }
        Self {
            create: method::<K, V, _>(V::create),
            update: update::<K, V, _>(V::update),
            delete: method::<K, V, _>(V::delete),
        }
    }
}

/// A handler with its types erased.
pub(super) type Handler = Arc<
    dyn Fn(AdmissionRequest, &Arc<Schemas>) -> BoxFuture<'static, AdmissionResponse> + Send + Sync,
>;

/// Wraps a defaulter as a handler.
pub(super) fn defaulting<K: Object>(defaulter: impl Defaulter<K>) -> Handler {
    let defaulter = Arc::new(defaulter);
    Arc::new(move |request, schemas| {
        let (defaulter, schemas) = (defaulter.clone(), schemas.clone());
        Box::pin(async move {
            let request = Arc::new(request);
            let answered = default_object(&*defaulter, &request, schemas).await;
            work::free(request.cost.bytes, request);
            answered.unwrap_or_else(AdmissionResponse::refuse)
        })
    })
}

async fn default_object<K: Object>(
    defaulter: &impl Defaulter<K>,
    request: &Arc<AdmissionRequest>,
    schemas: Arc<Schemas>,
) -> Result<AdmissionResponse, Refusal> {
    if request.object.is_null() {
        return Ok(AdmissionResponse::allow());
    }
    check_kind::<K>(request)?;
    let bytes = request.cost.bytes;
    let sent = request.clone();
    let decode = move || {
        if changes_metadata_of_a_deleted_object(&sent) {
            return Ok(None);
        }
        let object: K = sent.decode()?;
        let before = encode(&object)?;
        Ok::<_, Refusal>(Some((object, before)))
    };
    let Some((mut object, before)) = work::run(bytes, decode).await? else {
        return Ok(AdmissionResponse::allow());
    };
    defaulter.default(&mut object, request).await?;
    let sent = request.clone();
    let respond = move || {
        let after = encode(&object)?;
        if before == after {
            return Ok(AdmissionResponse::allow());
        }
        let place = Place::of(&ResourceInfo::of::<K>(&()), &schemas);
        let carried = carry(&sent.object, &before, &after, &place);
        let mut warnings = Warnings::default();
        for warning in carried.warnings {
            warnings.add(warning);
        }
        Ok(AdmissionResponse::change(&sent, &carried.object).with_warnings(warnings))
    };
    work::run(bytes, respond).await
}

fn encode<K: Object>(object: &K) -> Result<Value, Refusal> {
    serde_json::to_value(object)
        .map_err(|error| Refusal::internal(format!("the object cannot be encoded: {error}")))
}

/// Wraps a validator as a handler.
pub(super) fn validating<K: Object, V: Validator<K>>(validator: V) -> Handler {
    let validator = Arc::new(validator);
    Arc::new(move |request, _| {
        let validator = validator.clone();
        Box::pin(async move {
            let mut warnings = Warnings::default();
            let request = Arc::new(request);
            let outcome = validate(&*validator, &request, &mut warnings).await;
            work::free(request.cost.bytes, request);
            AdmissionResponse::from(outcome).with_warnings(warnings)
        })
    })
}

async fn validate<K: Object, V: Validator<K>>(
    validator: &V,
    request: &Arc<AdmissionRequest>,
    warnings: &mut Warnings,
) -> Result<(), Refusal> {
    if request.operation == Operation::Connect {
        // The object contains options of the connection, such as PodExecOptions. A validator has no
        // method for these.
        return Ok(());
    }
    check_kind::<K>(request)?;
    let implemented = Implemented::of::<K, V>();
    match request.operation {
        Operation::Create if implemented.create => {
            let new = decoded(request, |it| it.decode()).await?;
            validator.create(&new, request, warnings).await
        }
        Operation::Update if implemented.update => {
            let decode = |it: &AdmissionRequest| {
                if changes_metadata_of_a_deleted_object(it) {
                    return Ok(None);
                }
                Ok(Some((it.decode_old()?, it.decode()?)))
            };
            match decoded(request, decode).await? {
                Some((old, new)) => validator.update(&old, &new, request, warnings).await,
                None => Ok(()),
            }
        }
        Operation::Delete if implemented.delete => {
            let old = decoded(request, |it| it.decode_old()).await?;
            validator.delete(&old, request, warnings).await
        }
        _ => Ok(()),
    }
}

/// Decodes what a method needs of a request.
async fn decoded<T: Send + 'static>(
    request: &Arc<AdmissionRequest>,
    decode: impl FnOnce(&AdmissionRequest) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let shared = request.clone();
    work::run(request.cost.bytes, move || decode(&shared)).await
}

/// Whether a request updates an object that is being deleted, and changes nothing but metadata.
/// Refusing it, or failing to decode the object, would keep the object for ever.
fn changes_metadata_of_a_deleted_object(request: &AdmissionRequest) -> bool {
    let (Value::Object(new), Value::Object(old)) = (&request.object, &request.old_object) else {
        return false;
    };
    let deleted = new
        .get("metadata")
        .and_then(|it| it.get("deletionTimestamp"));
    let rest =
        |it: &serde_json::Map<String, Value>| it.keys().filter(|key| *key != "metadata").count();
    request.operation == Operation::Update
        && deleted.is_some_and(|time| !time.is_null())
        && rest(new) == rest(old)
        && new
            .iter()
            .all(|(key, value)| key == "metadata" || old.get(key) == Some(value))
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

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    struct Nothing;
    impl Validator<ConfigMap> for Nothing {}

    struct Two;
    impl Validator<ConfigMap> for Two {
        async fn create(
            &self,
            _: &ConfigMap,
            _: &AdmissionRequest,
            _: &mut Warnings,
        ) -> Result<(), Refusal> {
            Ok(())
        }

        fn delete(
            &self,
            _: &ConfigMap,
            _: &AdmissionRequest,
            _: &mut Warnings,
        ) -> impl Future<Output = Result<(), Refusal>> {
            std::future::ready(Ok(()))
        }
    }

    #[test]
    fn methods_that_are_not_implemented_are_told_from_those_that_are() {
        let check = |found: Implemented, expected: [bool; 3]| {
            assert_eq!([found.create, found.update, found.delete], expected);
        };
        check(Implemented::of::<ConfigMap, Nothing>(), [false; 3]);
        check(Implemented::of::<ConfigMap, Two>(), [true, false, true]);
    }
}
