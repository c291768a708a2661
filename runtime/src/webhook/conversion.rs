//! Conversion between the versions of a kind, through a hub version.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use serde::de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::envelope::{CONVERSION, Envelope};
use super::fault::Fault;
use super::reading::Text;
use super::room::{Room, memory_of};
use super::work;
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
/// Every version other than the hub converts to and from the hub, so that n versions need 2(n − 1)
/// functions. The hub should have the fields of all other versions, as others are lost; most
/// projects choose the storage version. Metadata is not converted: it is kept as sent, except
/// labels and annotations, where functions may store values for which another version has no field.
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

impl<H> fmt::Debug for Converter<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    fn convert(&self, mut object: Value, to: &str) -> Result<Value, BoxError> {
        let from = object["apiVersion"].as_str().unwrap_or_default();
        let from = from.to_owned();
        let metadata = metadata_of(&object)?;
        if from == to {
            object["metadata"] = Value::Object(metadata);
            return Ok(object);
        }
        let spoke = |version: &str| {
            let found = self.spokes.get(version);
            found.ok_or_else(|| format!("{} has no version {version} here", self.kind))
        };
        let hub = match from == self.hub {
            true => object,
            false => (spoke(&from)?.to_hub)(&object)?,
        };
        let mut converted = match to == self.hub {
            true => hub,
            false => (spoke(to)?.from_hub)(&hub)?,
        };
        keep_metadata(metadata, &mut converted);
        // Not every type serializes its own apiVersion.
        converted["apiVersion"] = json!(to);
        converted["kind"] = json!(self.kind);
        Ok(converted)
    }
}

/// Returns an object's metadata, which is empty if it has none: the API server refuses converted
/// objects without metadata.
fn metadata_of(object: &Value) -> Result<Map<String, Value>, BoxError> {
    match &object["metadata"] {
        Value::Null => Ok(Map::new()),
        Value::Object(metadata) => Ok(metadata.clone()),
        _ => Err("invalid metadata: expected an object".into()),
    }
}

/// Restores metadata: the API server refuses converted objects with changes other than to labels
/// and annotations.
fn keep_metadata(mut metadata: Map<String, Value>, converted: &mut Value) {
    for field in ["labels", "annotations"] {
        match converted["metadata"]
            .get(field)
            .filter(|map| !map.is_null())
        {
            Some(map) => metadata.insert(field.to_owned(), map.clone()),
            None => metadata.remove(field),
        };
    }
    converted["metadata"] = Value::Object(metadata);
}

/// How much memory the values of an object take while it is converted: as it was sent, as the hub,
/// and in the other version.
const COPIES: usize = 3;

/// The request of a ConversionReview.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    #[serde(default)]
    uid: String,
    #[serde(default, rename = "desiredAPIVersion")]
    desired_api_version: String,
    #[serde(borrow)]
    objects: Option<&'a RawValue>,
}

/// Responds to a ConversionReview: with all objects, or the first error.
///
/// Objects are decoded, converted and encoded one after the other, on a thread for blocking work:
/// conversions are the program's own functions, and may take long.
pub(super) async fn respond(
    converters: Arc<Vec<KindConverter>>,
    text: Text,
    room: &Room,
    deadline: Instant,
) -> Result<Vec<u8>, Fault> {
    let (body, length) = (text.bytes.clone(), text.bytes.len());
    let opened = work::run(length, move || {
        let envelope = CONVERSION.open(&body)?;
        let largest = largest_object(&envelope.request)?;
        Ok((envelope, largest))
    });
    let (envelope, largest) = opened.await?;
    let held = room.for_values(largest.saturating_mul(COPIES), deadline);
    let held = held.await?;
    let waits = Waits::default();
    let is_awaited = waits.0.clone();
    work::blocking(move || {
        let _held = (held, text);
        convert_all(&converters, &envelope, &is_awaited)
    })
    .await
}

/// Tells the work that nobody waits for it any more, once it is dropped.
#[derive(Default)]
struct Waits(Arc<Abandoned>);

#[derive(Default)]
struct Abandoned(AtomicBool);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

fn request(json: &Bytes) -> Result<Request<'_>, Fault> {
    serde_json::from_slice(json)
        .map_err(|error| Fault::bad(format!("the review has no valid request: {error}")))
}

/// Returns the memory of the largest object.
fn largest_object(json: &Bytes) -> Result<usize, Fault> {
    let mut largest = 0;
    for_each(request(json)?.objects, |object| {
        largest = largest.max(memory_of(object.get().as_bytes()));
        true
    })?;
    Ok(largest)
}

fn convert_all(
    converters: &[KindConverter],
    envelope: &Envelope,
    abandoned: &Abandoned,
) -> Result<Vec<u8>, Fault> {
    let request = request(&envelope.request)?;
    let mut objects = Vec::with_capacity(envelope.request.len());
    let mut failed = None;
    for_each(request.objects, |object| {
        if abandoned.0.load(Ordering::Relaxed) {
            return false;
        }
        match convert(converters, object, &request.desired_api_version) {
            Ok(object) => {
                if !objects.is_empty() {
                    objects.push(b',');
                }
                failed = serde_json::to_writer(&mut objects, &object)
                    .err()
                    .map(Into::into);
            }
            Err(error) => failed = Some(error),
        }
        failed.is_none()
    })?;
    let result = match &failed {
        None => json!({"status": "Success"}),
        Some(error) => {
            objects.clear();
            json!({"status": "Failure", "message": crate::error::chain(&**error).to_string()})
        }
    };
    let (version, kind) = (json!(envelope.version), json!(CONVERSION.kind));
    let uid = json!(request.uid);
    let head = format!(
        "{{\"apiVersion\":{version},\"kind\":{kind},\"response\":{{\"uid\":{uid},\"result\":{result}"
    );
    let mut answer = head.into_bytes();
    if failed.is_none() {
        answer.extend_from_slice(b",\"convertedObjects\":[");
        answer.append(&mut objects);
        answer.push(b']');
    }
    answer.extend_from_slice(b"}}");
    Ok(answer)
}

/// Calls `each` with the objects of a list until it returns false.
fn for_each(list: Option<&RawValue>, each: impl FnMut(&RawValue) -> bool) -> Result<(), Fault> {
    let Some(list) = list else { return Ok(()) };
    let mut reader = serde_json::Deserializer::from_str(list.get());
    let read = Each(each).deserialize(&mut reader);
    read.map_err(|error| Fault::bad(format!("the review has no valid objects: {error}")))
}

/// Reads a list item by item, so that only one of them is in memory.
struct Each<F>(F);

impl<'de, F: FnMut(&RawValue) -> bool> DeserializeSeed<'de> for Each<F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_seq(self)
    }
}

impl<'de, F: FnMut(&RawValue) -> bool> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(object) = list.next_element::<&RawValue>()? {
            if !(self.0)(object) {
                break;
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// What decides which converter an object needs.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default, expecting = "an object")]
struct Named {
    api_version: String,
    kind: String,
    metadata: Option<Name>,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "metadata")]
struct Name {
    name: String,
}

fn convert(converters: &[KindConverter], json: &RawValue, to: &str) -> Result<Value, BoxError> {
    let named: Named = serde_json::from_str(json.get())
        .map_err(|error| format!("an object cannot be decoded: {error}"))?;
    let (api_version, kind) = (&named.api_version, &named.kind);
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let known = converters
        .iter()
        .find(|it| it.group == group && it.kind == *kind);
    let converter =
        known.ok_or_else(|| format!("no converter for {kind:?} of the group {group:?}"))?;
    let converted = catch_unwind(AssertUnwindSafe(|| {
        converter.convert(serde_json::from_str(json.get())?, to)
    }));
    // The panic's message has been logged.
    let converted = converted.unwrap_or_else(|_| Err("the conversion panicked".into()));
    converted.map_err(|error| {
        let why = crate::error::chain(&*error).to_string();
        let name = named.metadata.unwrap_or_default().name;
        format!("{kind} {name:?} from {api_version} to {to}: {why}").into()
    })
}
