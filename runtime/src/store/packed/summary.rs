//! What a packed object tells without being decoded: uid, resourceVersion and labels, in one
//! string.

use std::collections::BTreeMap;

use kube::core::ObjectMeta;

/// Ends every part. No valid uid, version or label contains it.
const END: char = '\0';
/// Stands in front of a uid or resourceVersion that exists.
const SOME: char = '+';

/// uid, resourceVersion, then keys and values of labels in turn.
pub(super) struct Summary(Box<str>);

impl Summary {
    /// Returns `None` for metadata that cannot be summarised.
    pub(super) fn of(meta: &ObjectMeta) -> Option<Self> {
        let mut text = String::new();
        for part in [&meta.uid, &meta.resource_version] {
            if let Some(part) = part {
                text.push(SOME);
                text.push_str(part);
            }
            text.push(END);
        }
        let labels = meta.labels.iter().flatten();
        for part in labels.clone().flat_map(|(key, value)| [key, value]) {
            text.push_str(part);
            text.push(END);
        }
        let is_whole = text.matches(END).count() == 2 + 2 * labels.count();
        is_whole.then(|| Self(text.into()))
    }

    pub(super) fn uid(&self) -> Option<&str> {
        self.0.split(END).next()?.strip_prefix(SOME)
    }

    pub(super) fn resource_version(&self) -> Option<&str> {
        self.0.split(END).nth(1)?.strip_prefix(SOME)
    }

    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        let mut parts = self.0.split_terminator(END).skip(2);
        let mut labels = BTreeMap::new();
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            labels.insert(key.to_owned(), value.to_owned());
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(meta: &ObjectMeta) {
        let summary = Summary::of(meta).unwrap();
        assert_eq!(summary.uid(), meta.uid.as_deref());
        assert_eq!(summary.resource_version(), meta.resource_version.as_deref());
        assert_eq!(summary.labels(), meta.labels.clone().unwrap_or_default());
    }

    #[test]
    fn a_summary_returns_what_it_was_made_of() {
        let labels =
            [("app", "web"), ("empty", "")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        check(&ObjectMeta::default());
        check(&ObjectMeta {
            uid: Some("u".to_owned()),
            ..ObjectMeta::default()
        });
        check(&ObjectMeta {
            resource_version: Some(String::new()),
            labels: Some(labels.into()),
            ..ObjectMeta::default()
        });
    }

    #[test]
    fn what_contains_the_separator_is_not_summarised() {
        let meta = ObjectMeta {
            uid: Some("a\0b".to_owned()),
            ..ObjectMeta::default()
        };
        assert!(Summary::of(&meta).is_none());
    }
}
