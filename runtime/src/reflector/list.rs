//! The plain list, in pages where that serves the API server.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::{Error, Resource};
use tokio::time::Instant;

use super::deadline;
use super::error::{is_expired, is_too_large_version};
use super::source::{ListRequest, Listed};
use super::{Counters, Reflector, Replace, Sink};
use crate::store::ObjectKey;

/// Objects of a page where the caller set no size.
const PAGE: u32 = 500;

/// A list being gathered.
struct Gathered<K> {
    objects: Vec<(ObjectKey, Arc<K>)>,
    keep: Vec<ObjectKey>,
    resource_version: String,
    paginated: bool,
}

/// The pages of a list so far, by which one that never ends is known.
#[derive(Default)]
struct Pages {
    /// The first object of each page.
    firsts: BTreeSet<ObjectKey>,
    /// The number of objects before the last page.
    before: usize,
    /// The number of pages without objects, in a row.
    empty: u32,
}

/// The pages of a list repeat, so that it would never end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the list does not end: {0}")]
struct Endless(&'static str);

/// So many pages in a row may be empty: a selector may pass over many objects.
const MOST_EMPTY: u32 = 10_000;

impl Pages {
    /// Notes the last page, after which the server offers another. Tokens tell nothing: a server may keep the place itself.
    fn add<K>(&mut self, gathered: &Gathered<K>) -> Result<(), Error> {
        let repeats = |what| Err(Error::Service(Box::new(Endless(what))));
        match gathered.objects.get(self.before) {
            Some((first, _)) if !self.firsts.insert(first.clone()) => {
                return repeats("a page came twice");
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
    /// Lists everything and replaces the sink's contents with it. A version that the server refuses is given up at once for
    /// the newest one.
    pub(super) async fn list(&mut self) -> Result<(), Error> {
        Counters::add(&self.counters.lists, 1);
        let started = Instant::now();
        let version = self.relist_version();
        let first = self.list_pages(&version, self.page_size(&version)).await;
        let gathered = match first {
            Err(error) if is_expired(&error) || is_too_large_version(&error) => {
                self.version_unavailable = true;
                let version = self.relist_version();
                self.list_pages(&version, self.page_size(&version)).await?
            }
            other => other?,
        };
        if version == "0" && gathered.paginated {
            self.paginated = true;
        }
        self.listed_version(&gathered.resource_version);
        self.counters
            .listed(gathered.objects.len(), started.elapsed());
        self.sink.replace(Replace {
            objects: gathered.objects,
            keep: gathered.keep,
            resource_version: gathered.resource_version,
        });
        Ok(())
    }

    /// With a version above zero the server's cache answers, but only without a limit; so paging is off there unless the caller
    /// wants it or the server has no cache.
    fn page_size(&self, version: &str) -> Option<u32> {
        match self.options.page_size {
            Some(size) => Some(size),
            None if self.paginated => Some(PAGE),
            None if !version.is_empty() && version != "0" => None,
            None => Some(PAGE),
        }
    }

    /// Lists page by page. If a later page's token expires, everything is asked for at once, as client-go's pager does.
    async fn list_pages(&self, version: &str, limit: Option<u32>) -> Result<Gathered<K>, Error> {
        let mut request = ListRequest {
            resource_version: version.to_owned(),
            limit,
            continue_token: None,
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
                        limit: None,
                        continue_token: None,
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

    /// Lists one page into `gathered` (and gives that back empty) or into a new one, and turns `request` to the next page.
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
        };
        let into = match gathered {
            Some(gathered) => gathered,
            None => &mut fresh,
        };
        let mut each = |listed: Listed<K>| match listed {
            Listed::Object(object) => {
                let key = ObjectKey::of(&object);
                match self.admit(object) {
                    Some(admitted) => into.objects.push(admitted),
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
        into.resource_version = end.resource_version;
        request.continue_token = end.continue_token;
        Ok(fresh)
    }
}

/// Keys that are kept because their objects could not be read, without those that could.
pub(super) fn kept_only<K>(
    keep: Vec<ObjectKey>,
    objects: &[(ObjectKey, Arc<K>)],
) -> Vec<ObjectKey> {
    if keep.is_empty() {
        return keep;
    }
    let read: BTreeSet<&ObjectKey> = objects.iter().map(|(key, _)| key).collect();
    keep.into_iter().filter(|key| !read.contains(key)).collect()
}
