//! A server whose resourceVersions went back: restarted empty, restored from a backup, or another one under the same address.
//!
//! To a watch from a version that it has not reached, the API server sends nothing, not even bookmarks, until it reaches it;
//! then it goes on as if nothing had been. client-go serves the old state meanwhile. Versions of one resource compare since
//! Kubernetes 1.35, and did before, so that it can be told: by the version of a list, of an event, and, for a watch that is
//! silent, of a list of one object.

use std::cmp::Ordering;

use kube::{Error, Resource};

use super::source::{ListRequest, Listed};
use super::{Counters, Reflector, ReflectorError, Sink, deadline};
use crate::store::compare_resource_versions;

/// The resource versions that a reflector has seen from its server.
#[derive(Debug, Default)]
pub(super) struct Versions {
    /// The version before they went back, until the list that follows.
    lost: Option<String>,
    /// A list was as new as ever after an event with a lower version: on this server versions say nothing.
    unordered: bool,
}

/// Whether `version` shows that the server has gone back behind `known`.
pub(super) fn is_behind(version: &str, known: &str) -> bool {
    compare_resource_versions(version, known) == Some(Ordering::Less)
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Whether a watch event with `version` after one with `known` shows that the server has gone back.
    pub(super) fn shows_a_reset(&self, version: &str, known: &str) -> bool {
        !self.versions.unordered && is_behind(version, known)
    }

    /// Remembers the version of a whole list.
    pub(super) fn listed_version(&mut self, version: &str) {
        match self.versions.lost.take() {
            Some(lost) => self.versions.unordered |= !is_behind(version, &lost),
            None if is_behind(version, &self.last_version) => self.report_reset(version),
            None => {}
        }
        self.version_unavailable = false;
        version.clone_into(&mut self.last_version);
    }

    /// The server's versions went back to `version`: only a list of its newest state shows what exists.
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

    /// The server's current version, by a list of one object.
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
