//! Decodes JSON or YAML to registered objects: one, a list, or a stream of documents.

use kube::core::{GroupVersion, GroupVersionKind};
use serde::Deserialize;
use serde_json::Value;

use super::{AnyObject, Registration, Scheme, SchemeError, display_gvk};

/// The fields that identify an object; all others are skipped without being built.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Head {
    api_version: Option<String>,
    kind: Option<String>,
    metadata: Option<NameOnly>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct NameOnly {
    /// Any type is accepted: the typed decoder reports a wrong one.
    name: Value,
}

impl Head {
    fn name(&self) -> String {
        let name = self
            .metadata
            .as_ref()
            .and_then(|metadata| metadata.name.as_str());
        name.unwrap_or_default().to_owned()
    }

    fn kind(&self) -> Result<GroupVersionKind, SchemeError> {
        let missing = |field| SchemeError::MissingType {
            field,
            name: self.name(),
        };
        let kind = self
            .kind
            .as_deref()
            .filter(|kind| !kind.is_empty())
            .ok_or_else(|| missing("kind"))?;
        let api_version = self
            .api_version
            .as_deref()
            .filter(|version| !version.is_empty());
        let api_version = api_version.ok_or_else(|| missing("apiVersion"))?;
        let version: GroupVersion = api_version.parse().map_err(|_| missing("apiVersion"))?;
        Ok(version.with_kind(kind))
    }
}

impl Scheme {
    /// Decodes one object from JSON or YAML by its apiVersion and kind, and runs its defaulting
    /// functions.
    ///
    /// Input that starts with `{` is parsed as JSON, other input as YAML. For several documents and
    /// lists, use [`Self::decode_all`].
    ///
    /// # Errors
    ///
    /// [`SchemeError`]: as for [`Self::decode_value`], the input cannot be parsed, or it holds
    /// several objects or none ([`SchemeError::NotSingle`]).
    pub fn decode(&self, text: impl AsRef<[u8]>) -> Result<AnyObject, SchemeError> {
        let text = text.as_ref();
        if is_json(text)
            && let Ok(head) = serde_json::from_slice::<Head>(text)
            && let Ok(gvk) = head.kind()
            && let Ok(registration) = self.registration(&gvk)
        {
            // Decodes directly from the input, so that an error has line and column.
            let decoded =
                (registration.decode)(text).map_err(|source| decode_error(&gvk, &head, source))?;
            return Ok(with_defaults(registration, decoded));
        }
        let mut objects = self.decode_all(text).map_err(|error| match error {
            SchemeError::At { index: 0, source } => *source,
            other => other,
        })?;
        match (objects.len(), objects.pop()) {
            (1, Some(object)) => Ok(object),
            (count, _) => Err(SchemeError::NotSingle(count)),
        }
    }

    /// Decodes every object in a JSON or YAML input: one object, a stream of documents, or lists
    /// (`kind: List` or `PodList`), which are expanded. Empty documents are skipped.
    ///
    /// # Errors
    ///
    /// [`SchemeError`] with the index of the first invalid object, or that the input cannot be
    /// parsed.
    pub fn decode_all(&self, text: impl AsRef<[u8]>) -> Result<Vec<AnyObject>, SchemeError> {
        let mut objects = Vec::new();
        for document in parse(text.as_ref())? {
            self.open(document, &mut objects)?;
        }
        Ok(objects)
    }

    /// Decodes an object from its JSON value, and runs its defaulting functions.
    ///
    /// # Errors
    ///
    /// [`SchemeError`]: apiVersion or kind is missing, the kind is not registered, or its type
    /// cannot be decoded from the value.
    pub fn decode_value(&self, value: Value) -> Result<AnyObject, SchemeError> {
        let head = head_of(&value);
        let gvk = head.kind()?;
        let registration = self.registration(&gvk)?;
        let decoded = registration
            .decode_value(&value)
            .map_err(|source| decode_error(&gvk, &head, source))?;
        Ok(with_defaults(registration, decoded))
    }

    fn open(&self, document: Value, objects: &mut Vec<AnyObject>) -> Result<(), SchemeError> {
        if document.is_null() {
            return Ok(());
        }
        let at = |index: usize| {
            move |source| SchemeError::At {
                index,
                source: Box::new(source),
            }
        };
        match self.items_of(document) {
            Ok(items) => {
                for item in items {
                    self.open(item, objects)?;
                }
            }
            Err(single) => objects.push(self.decode_value(single).map_err(at(objects.len()))?),
        }
        Ok(())
    }

    /// Returns the items of a list, with the kind that the list implies, or the document itself if
    /// it is not a list.
    fn items_of(&self, mut document: Value) -> Result<Vec<Value>, Value> {
        let head = head_of(&document);
        let Ok(gvk) = head.kind() else {
            return Err(document);
        };
        let Some(item_kind) = gvk.kind.strip_suffix("List") else {
            return Err(document);
        };
        if self.recognizes(&gvk) {
            return Err(document);
        }
        let items = match document.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => items,
            Some(Value::Null) => Vec::new(),
            _ => return Err(document),
        };
        let fill = |mut item: Value| {
            if let (Value::Object(fields), false) = (&mut item, item_kind.is_empty()) {
                fields
                    .entry("apiVersion")
                    .or_insert_with(|| gvk.api_version().into());
                fields.entry("kind").or_insert_with(|| item_kind.into());
            }
            item
        };
        Ok(items.into_iter().map(fill).collect())
    }
}

fn is_json(text: &[u8]) -> bool {
    text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

fn parse(text: &[u8]) -> Result<Vec<Value>, SchemeError> {
    if is_json(text) {
        let documents = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
        let documents: Result<Vec<_>, _> = documents.collect();
        return documents.map_err(|source| SchemeError::Syntax {
            syntax: "JSON",
            source: Box::new(source),
        });
    }
    let syntax = |source: Box<dyn std::error::Error + Send + Sync>| SchemeError::Syntax {
        syntax: "YAML",
        source,
    };
    let text = std::str::from_utf8(text).map_err(|error| syntax(Box::new(error)))?;
    serde_saphyr::from_multiple(text).map_err(|error| syntax(error.to_string().into()))
}

fn head_of(value: &Value) -> Head {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    Head {
        api_version: text(value.get("apiVersion")),
        kind: text(value.get("kind")),
        metadata: Some(NameOnly {
            name: value.pointer("/metadata/name").cloned().unwrap_or_default(),
        }),
    }
}

fn decode_error(gvk: &GroupVersionKind, head: &Head, source: serde_json::Error) -> SchemeError {
    SchemeError::Decode {
        kind: display_gvk(gvk),
        name: head.name(),
        source,
    }
}

fn with_defaults(registration: &Registration, mut object: AnyObject) -> AnyObject {
    for default in &registration.defaults {
        default(&mut object);
    }
    object
}
