//! Conversion between the versions of a kind, through a hub version.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::object::{Object, ResourceInfo};

type BoxError = Box<dyn Error + Send + Sync>;
type Translate = Arc<dyn Fn(&Value) -> Result<Value, BoxError> + Send + Sync>;

/// The conversion between a version and the hub.
#[derive(Clone)]
struct Spoke {
    to_hub: Translate,
    from_hub: Translate,
}

/// Converts objects of one kind between its versions.
///
/// Every version other than the hub converts to and from the hub, so that n versions need 2(n − 1) functions. The hub should have
/// the fields of all other versions, as others are lost; most projects choose the storage version. Metadata is not converted: it
/// is kept as sent, except labels and annotations, where functions may store values for which another version has no field.
///
/// ```
/// # mod v1 { pub use codegen_runtime::k8s_openapi::api::autoscaling::v1::HorizontalPodAutoscaler as Scaler; }
/// # mod v2 { pub use codegen_runtime::k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler as Scaler; }
/// use codegen_runtime::webhook::{Converter, Webhooks};
///
/// # fn up(old: v1::Scaler) -> v2::Scaler { v2::Scaler { metadata: old.metadata, ..Default::default() } }
/// # fn down(new: v2::Scaler) -> v1::Scaler { v1::Scaler { metadata: new.metadata, ..Default::default() } }
/// let converter = Converter::hub::<v2::Scaler>()
///     .spoke_with(|old: v1::Scaler| Ok::<v2::Scaler, String>(up(old)), |new| Ok::<_, String>(down(new)));
/// let webhooks = Webhooks::builder().converter(converter).build();
/// assert_eq!(webhooks.paths(), ["/convert"]);
/// ```
#[derive(Clone)]
pub struct Converter<H> {
    erased: KindConverter,
    hub: std::marker::PhantomData<fn() -> H>,
}

/// A converter with the hub's type erased.
#[derive(Clone)]
pub(super) struct KindConverter {
    pub(super) group: String,
    pub(super) kind: String,
    #[cfg(feature = "self-signed")]
    pub(super) plural: String,
    hub: String,
    spokes: BTreeMap<String, Spoke>,
}

impl Converter<()> {
    /// Starts with the version that all others convert to and from.
    pub fn hub<H: Object>() -> Converter<H> {
        let info = ResourceInfo::of::<H>(&());
        Converter {
            erased: KindConverter {
                hub: info.api_version(),
                group: info.group,
                kind: info.kind,
                #[cfg(feature = "self-signed")]
                plural: info.plural,
                spokes: BTreeMap::new(),
            },
            hub: std::marker::PhantomData,
        }
    }
}

impl<H: Object> Converter<H> {
    /// Adds a version that converts by `TryFrom` (or `From`) both ways.
    #[must_use]
    pub fn spoke<S>(self) -> Self
    where
        S: Object + TryFrom<H>,
        H: TryFrom<S>,
        <S as TryFrom<H>>::Error: Into<BoxError>,
        <H as TryFrom<S>>::Error: Into<BoxError>,
    {
        self.spoke_with(|spoke: S| H::try_from(spoke), |hub| S::try_from(hub))
    }

    /// Adds a version that converts by the specified functions.
    #[must_use]
    pub fn spoke_with<S, E, F>(
        mut self,
        to_hub: impl Fn(S) -> Result<H, E> + Send + Sync + 'static,
        from_hub: impl Fn(H) -> Result<S, F> + Send + Sync + 'static,
    ) -> Self
    where
        S: Object,
        E: Into<BoxError>,
        F: Into<BoxError>,
    {
        let spoke = Spoke {
            to_hub: translate(to_hub),
            from_hub: translate(from_hub),
        };
        let version = ResourceInfo::of::<S>(&()).api_version();
        self.erased.spokes.insert(version, spoke);
        self
    }

    pub(super) fn into_erased(self) -> KindConverter {
        self.erased
    }
}

impl<H> std::fmt::Debug for Converter<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let it = &self.erased;
        f.debug_struct("Converter")
            .field("kind", &it.kind)
            .field("hub", &it.hub)
            .field("spokes", &it.spokes.keys().collect::<Vec<_>>())
            .finish()
    }
}

fn translate<A: Object, B: Object, E: Into<BoxError>>(
    convert: impl Fn(A) -> Result<B, E> + Send + Sync + 'static,
) -> Translate {
    Arc::new(move |value| {
        let converted = convert(A::deserialize(value)?).map_err(Into::into)?;
        Ok(serde_json::to_value(converted)?)
    })
}

impl KindConverter {
    /// Converts an object to another version.
    fn convert(&self, object: &Value, to: &str) -> Result<Value, BoxError> {
        let from = object["apiVersion"].as_str().unwrap_or_default();
        if from == to {
            return Ok(object.clone());
        }
        let spoke = |version: &str| {
            let found = self.spokes.get(version);
            found.ok_or_else(|| format!("{} has no version {version} here", self.kind))
        };
        let hub = match from == self.hub {
            true => object.clone(),
            false => (spoke(from)?.to_hub)(object)?,
        };
        let mut converted = match to == self.hub {
            true => hub,
            false => (spoke(to)?.from_hub)(&hub)?,
        };
        keep_metadata(object, &mut converted);
        // Not every type serializes its own apiVersion.
        converted["apiVersion"] = json!(to);
        converted["kind"] = json!(self.kind);
        Ok(converted)
    }
}

/// Restores metadata: the API server refuses converted objects with changes other than to labels and annotations.
fn keep_metadata(sent: &Value, converted: &mut Value) {
    let mut metadata = sent["metadata"].clone();
    for field in ["labels", "annotations"] {
        match converted["metadata"]
            .get(field)
            .filter(|map| !map.is_null())
        {
            Some(map) => metadata[field] = map.clone(),
            None => {
                if let Value::Object(metadata) = &mut metadata {
                    metadata.remove(field);
                }
            }
        }
    }
    converted["metadata"] = metadata;
}

/// Returns the `response` to the `request` of a ConversionReview: all objects, or the first error.
pub(super) async fn respond(converters: &[KindConverter], request: &Value) -> Value {
    let to = request["desiredAPIVersion"].as_str().unwrap_or_default();
    let mut converted = Vec::new();
    for object in request["objects"].as_array().into_iter().flatten() {
        match convert(converters, object, to) {
            Ok(object) => converted.push(object),
            Err(error) => {
                let message = crate::error::chain(&*error).to_string();
                return json!({"uid": request["uid"], "result": {"status": "Failure", "message": message}});
            }
        }
        // Lets other tasks run during a long list, and lets the request's timeout end it.
        tokio::task::yield_now().await;
    }
    json!({"uid": request["uid"], "convertedObjects": converted, "result": {"status": "Success"}})
}

fn convert(converters: &[KindConverter], object: &Value, to: &str) -> Result<Value, BoxError> {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let kind = object["kind"].as_str().unwrap_or_default();
    let known = converters
        .iter()
        .find(|it| it.group == group && it.kind == kind);
    let converter =
        known.ok_or_else(|| format!("no converter for {kind:?} of the group {group:?}"))?;
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let converted = converter.convert(object, to);
    converted.map_err(|error| {
        let why = crate::error::chain(&*error).to_string();
        format!("{kind} {name:?} from {api_version} to {to}: {why}").into()
    })
}
