//! Detects a server whose resourceVersions went back: it was restarted empty, restored from a
//! backup, or replaced by another one.
//!
//! To a watch from a version that it has not reached, the API server sends no events, not even
//! bookmarks, until it reaches that version; then it continues as if nothing had happened.
//! client-go serves the old state meanwhile. Versions of one resource are comparable, guaranteed
//! since Kubernetes 1.35 and in practice before, so that a reset can be detected: by the version of
//! a list, by that of an event, and, for a silent watch, by that of a list of one object.

use std::cmp::Ordering;

use kube::{Error, Resource};

use super::source::{ListRequest, Listed};
use super::{Counters, Reflector, ReflectorError, Sink, deadline};
use crate::store::compare_resource_versions;

/// The state of the detection.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The last version before the reset, until the next list.
    lost: Option<String>,
    /// Whether a list was as new as before although an event had a lower version: on this server,
    /// versions are not comparable.
    unordered: bool,
}

/// Whether `version` shows that the server has gone back from `known`.
pub(super) fn is_behind(version: &str, known: &str) -> bool {
    compare_resource_versions(version, known) == Some(Ordering::Less)
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Whether a watch event with `version` after one with `known` shows that the server has gone
    /// back.
    pub(super) fn shows_a_reset(&self, version: &str, known: &str) -> bool {
        !self.versions.unordered && is_behind(version, known)
    }

    /// Whether an object with known uid and resourceVersion is the known one.
    pub(super) fn trusts_versions(&self) -> bool {
        self.versions.lost.is_none()
    }

    /// Whether the list that reached `version` is the first sign of a reset. Known objects in it
    /// may have other contents.
    pub(super) fn is_first_sign(&self, version: &str) -> bool {
        self.versions.lost.is_none() && self.shows_a_reset(version, &self.last_version)
    }

    /// Records the version of a complete list; returns whether the server had gone back before it.
    pub(super) fn listed_version(&mut self, version: &str) -> bool {
        let went_back = match self.versions.lost.take() {
            Some(lost) => {
                self.versions.unordered |= !is_behind(version, &lost);
                true
            }
            None => {
                let is_behind = is_behind(version, &self.last_version);
                if is_behind {
                    self.report_reset(version);
                }
                is_behind
            }
        };
        self.version_unavailable = false;
        version.clone_into(&mut self.last_version);
        went_back
    }

    /// Handles a reset to `version`: only a list of the newest state shows which objects exist.
    pub(super) fn went_back(&mut self, version: &str) {
        self.report_reset(version);
        self.versions.lost = Some(self.last_version.clone());
        self.version_unavailable = true;
    }

    fn report_reset(&self, version: &str) {
        Counters::add(&self.counters.version_resets, 1);
        self.report(ReflectorError::VersionWentBack {
            resource: self.resource.clone(),
            from: self.last_version.clone(),
            to: version.to_owned(),
        });
    }

    /// Returns the server's current version, from a list of one object.
    pub(super) async fn ask_version(&self) -> Result<String, Error> {
        let request = ListRequest {
            limit: Some(1),
            ..ListRequest::default()
        };
        let mut ignore = |_: Listed<K>| {};
        let deadlines = &self.options.deadlines;
        let end = deadline::list(&*self.source, deadlines, request, &mut ignore).await?;
        Ok(end.resource_version)
    }
}
