//! The plain list, paginated where that helps the API server.

use std::collections::BTreeSet;

use kube::{Error, Resource};
use tokio::time::Instant;

use super::deadline;
use super::error::{is_expired, is_too_large_version};
use super::source::{ListRequest, Listed};
use super::{Counters, Reflector, Replace, Sink};
use crate::store::{Held, ObjectKey};

/// The page size, unless the caller sets one.
const PAGE: u32 = 500;

/// A list in progress.
struct Gathered<K> {
    objects: Vec<(ObjectKey, Held<K>)>,
    keep: Vec<ObjectKey>,
    resource_version: String,
    paginated: bool,
    /// Whether any object was taken for the known one because of its version.
    has_known: bool,
}

/// The pages of a list so far, to detect a list that never ends.
#[derive(Default)]
struct Pages {
    /// The first object of each page.
    firsts: BTreeSet<ObjectKey>,
    /// The number of objects before the last page.
    before: usize,
    /// The number of consecutive pages without objects.
    empty: u32,
}

/// The pages of a list repeat, so that it would never end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the list does not end: {0}")]
struct Endless(&'static str);

/// The maximum number of consecutive empty pages; a selector may skip many objects.
const MOST_EMPTY: u32 = 10_000;

impl Pages {
    /// Records the last page, after which the server offers another. Continue tokens are no
    /// evidence: a server may keep the position itself.
    fn add<K>(&mut self, gathered: &Gathered<K>) -> Result<(), Error> {
        let repeats = |what| Err(Error::Service(Box::new(Endless(what))));
        match gathered.objects.get(self.before) {
            Some((first, _)) if !self.firsts.insert(first.clone()) => {
                return repeats("a page was repeated");
            }
            Some(_) => self.empty = 0,
            None if self.empty == MOST_EMPTY => return repeats("its pages are empty"),
            None => self.empty += 1,
        }
        self.before = gathered.objects.len();
        Ok(())
    }
}

impl<K, S> Reflector<K, S>
where
    K: Resource + Clone + Send + Sync + 'static,
    S: Sink<K>,
{
    /// Lists everything and replaces the sink's contents with it. If the server refuses a version,
    /// the newest one is requested immediately.
    pub(super) async fn list(&mut self) -> Result<(), Error> {
        Counters::add(&self.counters.lists, 1);
        let started = Instant::now();
        let version = self.relist_version();
        let gathered = match self.list_version(&version).await {
            Err(error) if is_expired(&error) || is_too_large_version(&error) => {
                self.version_unavailable = true;
                self.list_version(&self.relist_version()).await?
            }
            other => other?,
        };
        if version == "0" && gathered.paginated {
            self.paginated = true;
        }
        let gathered = if gathered.has_known && self.is_first_sign(&gathered.resource_version) {
            self.went_back(&gathered.resource_version);
            self.list_version(&self.relist_version()).await?
        } else {
            gathered
        };
        let versions_went_back = self.listed_version(&gathered.resource_version);
        self.counters
            .listed(gathered.objects.len(), started.elapsed());
        self.sink.replace(Replace {
            objects: gathered.objects,
            keep: gathered.keep,
            resource_version: gathered.resource_version,
            versions_went_back,
        });
        Ok(())
    }

    async fn list_version(&self, version: &str) -> Result<Gathered<K>, Error> {
        self.list_pages(version, self.page_size(version)).await
    }

    /// With a version above zero the server's cache answers, but only without a limit; so pages are
    /// not used then, unless the caller requests them or the server has no cache.
    fn page_size(&self, version: &str) -> Option<u32> {
        match self.options.page_size {
            Some(size) => Some(size),
            None if self.paginated => Some(PAGE),
            None if !version.is_empty() && version != "0" => None,
            None => Some(PAGE),
        }
    }

    /// Lists page by page. If the token of a later page expires, requests the whole list at once,
    /// like client-go's pager.
    async fn list_pages(&self, version: &str, limit: Option<u32>) -> Result<Gathered<K>, Error> {
        let mut request = ListRequest {
            resource_version: version.to_owned(),
            limit,
            ..ListRequest::default()
        };
        let mut gathered = self.list_page(&mut request, None).await?;
        let mut pages = Pages::default();
        while request.continue_token.is_some() {
            pages.add(&gathered)?;
            gathered.paginated = true;
            match self.list_page(&mut request, Some(&mut gathered)).await {
                Ok(_) => {}
                Err(error) if is_expired(&error) => {
                    let mut whole = ListRequest {
                        resource_version: version.to_owned(),
                        ..ListRequest::default()
                    };
                    let mut gathered = self.list_page(&mut whole, None).await?;
                    gathered.paginated = true;
                    return Ok(gathered);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(gathered)
    }

    /// Lists one page into `gathered` (returned empty) or into a new list, and turns `request` into
    /// that for the next page.
    async fn list_page(
        &self,
        request: &mut ListRequest,
        gathered: Option<&mut Gathered<K>>,
    ) -> Result<Gathered<K>, Error> {
        let mut fresh = Gathered {
            objects: Vec::new(),
            keep: Vec::new(),
            resource_version: String::new(),
            paginated: false,
            has_known: false,
        };
        let into = match gathered {
            Some(gathered) => gathered,
            None => &mut fresh,
        };
        let mut each = |listed: Listed<K>| match listed {
            Listed::Object(object) => {
                let key = ObjectKey::of(&object);
                match self.admit(object) {
                    Some(admitted) => {
                        into.has_known |= admitted.known.is_some();
                        let key = admitted.key.clone();
                        into.objects.push((key, admitted.hold(&*self.sink)));
                    }
                    None => into.keep.push(key),
                }
            }
            Listed::Undecodable(object) => {
                into.keep.extend(object.key.clone());
                self.report_undecodable(object);
            }
        };
        let deadlines = &self.options.deadlines;
        let end = deadline::list(&*self.source, deadlines, request.clone(), &mut each).await?;
        // A server whose later pages show a newer state sends what changed in the first ones only
        // to a watch from their version.
        if into.resource_version.is_empty() {
            into.resource_version = end.resource_version;
        }
        request.continue_token = end.continue_token;
        Ok(fresh)
    }
}
