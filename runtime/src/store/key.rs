//! The key of a cached object: `namespace/name`, or `name` at cluster scope, like client-go's
//! `MetaNamespaceKeyFunc`.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use kube::Resource;

/// The key of one object in a store, cheap to clone and usable as `&str`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Arc<str>);

/// A key has more than one `/` or an empty part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unexpected key format: {0:?} (expected `namespace/name` or `name`)")]
pub struct InvalidKey(pub String);

impl ObjectKey {
    /// Creates the key of `name` in `namespace`; `None` or an empty namespace for a cluster-scoped
    /// key.
    pub fn new(namespace: Option<&str>, name: &str) -> Self {
        match namespace {
            Some(namespace) if !namespace.is_empty() => {
                with_text(namespace, name, |text| Self(text.into()))
            }
            _ => Self(name.into()),
        }
    }

    /// Passes the key of `object` to `read` as a string, without allocating an `ObjectKey`.
    pub(crate) fn with_text_of<K: Resource, T>(object: &K, read: impl FnOnce(&str) -> T) -> T {
        let meta = object.meta();
        let name = meta.name.as_deref().unwrap_or_default();
        match meta.namespace.as_deref() {
            Some(namespace) if !namespace.is_empty() => with_text(namespace, name, read),
            _ => read(name),
        }
    }

    /// Returns the key of `object`. An object without a name (the API server stores none) has the
    /// empty name.
    pub fn of<K: Resource>(object: &K) -> Self {
        let meta = object.meta();
        Self::new(
            meta.namespace.as_deref(),
            meta.name.as_deref().unwrap_or_default(),
        )
    }

    /// Returns the namespace, if the key has one.
    pub fn namespace(&self) -> Option<&str> {
        self.0.split_once('/').map(|(namespace, _)| namespace)
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        self.0.split_once('/').map_or(&*self.0, |(_, name)| name)
    }

    /// Returns the whole key.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_shared(text: Arc<str>) -> Self {
        Self(text)
    }

    pub(crate) fn into_shared(self) -> Arc<str> {
        self.0
    }
}

/// The maximum length of namespace, slash and name that the API server accepts.
const LONGEST: usize = 63 + 1 + 253;

/// Joins both on the stack if they fit, as every valid pair does.
fn with_text<T>(namespace: &str, name: &str, read: impl FnOnce(&str) -> T) -> T {
    let mut buffer = [0; LONGEST];
    let slash = namespace.len();
    let end = slash + 1 + name.len();
    let joined = buffer.get_mut(..end).and_then(|text| {
        let (head, tail) = text.split_at_mut_checked(slash)?;
        head.copy_from_slice(namespace.as_bytes());
        let (first, rest) = tail.split_first_mut()?;
        *first = b'/';
        rest.copy_from_slice(name.as_bytes());
        std::str::from_utf8(text).ok()
    });
    match joined {
        Some(text) => read(text),
        None => read(&format!("{namespace}/{name}")),
    }
}

impl FromStr for ObjectKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let mut parts = text.split('/');
        let valid = match (parts.next(), parts.next(), parts.next()) {
            (Some(name), None, _) => !name.is_empty(),
            (Some(namespace), Some(name), None) => !namespace.is_empty() && !name.is_empty(),
            _ => false,
        };
        if valid {
            Ok(Self(text.into()))
        } else {
            Err(InvalidKey(text.to_owned()))
        }
    }
}

impl Deref for ObjectKey {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ObjectKey {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ObjectKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(Option<&str>, &str)>) {
        let parsed = text.parse::<ObjectKey>().ok();
        assert_eq!(
            parsed.as_ref().map(|key| (key.namespace(), key.name())),
            expected,
            "{text}"
        );
    }

    #[test]
    fn a_key_splits_into_namespace_and_name() {
        check("default/web", Some((Some("default"), "web")));
        check("node-1", Some((None, "node-1")));
        check("a/b/c", None);
        check("/b", None);
        check("a/", None);
        check("", None);
        assert_eq!(
            ObjectKey::new(Some("default"), "web").as_str(),
            "default/web"
        );
        assert_eq!(ObjectKey::new(Some(""), "node-1").as_str(), "node-1");
        let long = "n".repeat(LONGEST);
        assert_eq!(
            ObjectKey::new(Some("default"), &long).as_str(),
            format!("default/{long}")
        );
    }
}
