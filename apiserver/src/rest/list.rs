//! List requests: consistent pages of a snapshot, streamed.

use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use serde_json::{Value, json};

use super::conversion::prepare;
use super::list_options::{Filter, ListOptions, Match, Verb};
use super::present::list_type;
use super::{Call, continue_token};
use crate::core::Core;
use crate::http::body::Body;
use crate::http::negotiate::{Accepted, Format, View};
use crate::http::respond::{Answer, Content};
use crate::metadata::object::partial;
use crate::registry::Served;
use crate::status::ApiError;
use crate::store::{RevisionError, Snapshot, Stored};
use crate::table;

/// One page of a list.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) revision: u64,
    pub(crate) objects: Vec<Arc<Stored>>,
    continue_token: String,
    /// Whether an empty continue token is written, as for whole lists of custom resources.
    names_token: bool,
    remaining: Option<usize>,
    /// The shard selector, which lists of built-in kinds repeat.
    shards: Option<String>,
}

impl Page {
    /// Returns the `metadata` of the list.
    pub(crate) fn metadata(&self) -> Value {
        let mut metadata = json!({"resourceVersion": self.revision.to_string()});
        if !self.continue_token.is_empty() || self.names_token {
            metadata["continue"] = json!(self.continue_token);
        }
        if let Some(remaining) = self.remaining {
            metadata["remainingItemCount"] = json!(remaining);
        }
        if let Some(selector) = &self.shards {
            metadata["shardInfo"] = json!({"selector": selector});
        }
        metadata
    }
}

/// Handles GET of a collection.
pub(crate) async fn list(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    let page = page(core, call).await?;
    if call.accepted.view == View::Metadata {
        let list = match (
            &call.served.resource.list_kind,
            call.served.resource.is_custom(),
        ) {
            (_, true) => "unstructured.UnstructuredList".to_owned(),
            (list, false) => format!("v1.{list}"),
        };
        return Err(ApiError::new(
            406,
            "NotAcceptable",
            format!(
                "you requested PartialObjectMetadata, but the requested object is a list (*{list})"
            ),
        ));
    }
    let content = match call.accepted {
        Accepted {
            view: View::Whole,
            format: Format::Json,
            ..
        } => Content::Json(stream(&call.served, page)),
        _ => {
            let mut document = document(call, &page)?;
            call.accepted.meta.convert(&mut document);
            Content::Document(document, call.accepted.format)
        }
    };
    Ok(Answer::new(200, content))
}

/// Returns the objects that a list request selects.
///
/// # Errors
/// 410 for a continue token or an exact resourceVersion that the history no longer has, 504 for one
/// in the future.
pub(crate) async fn page(core: &Arc<Core>, call: &Call) -> Result<Page, ApiError> {
    let options = ListOptions::parse(&core.options, call, Verb::List)?;
    let token = options
        .continue_token
        .as_deref()
        .map(continue_token::decode)
        .transpose()?;
    let snapshot = snapshot(core, call, &options, token.as_ref())?;
    let revision = snapshot.revision;
    if !options.filter.fields.is_empty() {
        let objects = snapshot.objects.iter();
        let candidates = objects.filter(|object| options.filter.may_match(object));
        prepare(core, &call.served, candidates).await?;
    }
    let page = select(call, &options, token, snapshot, revision);
    if options.filter.fields.is_empty() {
        prepare(core, &call.served, &page.objects).await?;
    }
    Ok(page)
}

/// Selects the page of a request from a snapshot.
fn select(
    call: &Call,
    options: &ListOptions,
    token: Option<continue_token::Token>,
    snapshot: Snapshot,
    revision: u64,
) -> Page {
    let after = token.map(|token| token.after);
    let filter = &options.filter;
    let mut page = Page {
        revision,
        objects: Vec::new(),
        continue_token: String::new(),
        names_token: names_token(call),
        remaining: None,
        shards: shard_info(call, filter),
    };
    let mut read = snapshot.objects;
    read.retain(|o| after.as_ref().is_none_or(|after| o.key > *after) && filter.reads(o));
    // A list with resourceVersion=0 is served from kube-apiserver's watch cache, which ignores the
    // limit.
    let limited = options.revision != Some(0) || after.is_some();
    let limit = options.limit.filter(|_| limited).unwrap_or(usize::MAX);
    let total = read.len();
    let mut rest = read.into_iter();
    let matching = rest.by_ref().filter(|o| filter.matches(&call.served, o));
    page.objects.extend(matching.take(limit));
    // As in kube-apiserver, what is left is counted before it is selected: the last page may be
    // empty.
    if page.objects.len() == limit && rest.len() > 0 {
        if let Some(last) = page.objects.last() {
            page.continue_token = continue_token::encode(Some(revision), &last.key);
        }
        // With a selector of labels or fields, kube-apiserver does not count; a shard selector does
        // not hinder it.
        let countable = filter.labels.is_empty() && filter.fields.is_empty();
        page.remaining = countable.then(|| total.saturating_sub(limit));
    }
    page
}

/// Returns what a list says about its shard: kube-apiserver leaves it out of lists of custom
/// resources, tables and metadata.
fn shard_info(call: &Call, filter: &Filter) -> Option<String> {
    let says = !call.served.resource.is_custom() && call.accepted.view == View::Whole;
    let selector = filter.shards.as_ref().filter(|_| says)?;
    Some(selector.to_string())
}

fn names_token(call: &Call) -> bool {
    call.served.resource.is_custom() && call.accepted.view == View::Whole
}

fn snapshot(
    core: &Core,
    call: &Call,
    options: &ListOptions,
    token: Option<&continue_token::Token>,
) -> Result<Snapshot, ApiError> {
    let id = call.served.resource.id;
    let namespace = &options.filter.namespace;
    let current = core.store.revision();
    let at = |revision: u64| core.store.snapshot_at(id, namespace, revision);
    if let Some(token) = token {
        let Some(revision) = token.revision else {
            return Ok(core.store.snapshot(id, namespace));
        };
        return at(revision).map_err(|error| match error {
            RevisionError::Compacted(_) => ApiError::expired(continue_token::EXPIRED)
                .with_continue(continue_token::encode(None, &token.after)),
            RevisionError::Future(current) => ApiError::future_version(revision, current),
        });
    }
    if let Some(revisions) = call.struck.stale {
        let past = current
            .saturating_sub(revisions)
            .max(core.store.oldest(id))
            .max(1);
        return at(past).map_err(|_| {
            ApiError::expired("The resourceVersion for the provided list is too old.")
        });
    }
    match options.revision {
        Some(revision) if revision > current => Err(ApiError::future_version(revision, current)),
        // With a limit, kube-apiserver treats a resourceVersion without resourceVersionMatch as
        // exact.
        Some(revision)
            if options.version_match == Some(Match::Exact)
                || (options.version_match.is_none() && options.limit.is_some() && revision > 0) =>
        {
            at(revision).map_err(|_| {
                ApiError::expired("The resourceVersion for the provided list is too old.")
            })
        }
        _ => Ok(core.store.snapshot(id, namespace)),
    }
}

/// Returns the list as a document, for the representations that are not streamed.
fn document(call: &Call, page: &Page) -> Result<Value, ApiError> {
    let served = &call.served;
    let objects: Vec<Value> = page.objects.iter().map(|o| served.decode(o)).collect();
    let view = call.accepted.view;
    if view == View::Table {
        let include = table::Include::parse(call.query.text("includeObject"))?;
        return Ok(table::document(
            served.layout(),
            &objects,
            include,
            page.metadata(),
            table::Header::Shown,
        ));
    }
    let (kind, api_version) = list_type(served, view);
    let items: Vec<Value> = match view {
        View::MetadataList => objects.iter().map(partial).collect(),
        _ => objects,
    };
    Ok(
        json!({"kind": kind, "apiVersion": api_version, "metadata": page.metadata(), "items": items}),
    )
}

/// The target size of a chunk of a streamed list, in bytes.
const CHUNK: usize = 64 * 1024;

/// At least as long as what stands around an item, and as the end of a list.
const AROUND: usize = 8;

/// Streams the list as JSON, encoding the snapshot while it is read.
pub(super) fn stream(served: &Served, page: Page) -> Body {
    let (kind, api_version) = list_type(served, View::Whole);
    let mut head = format!(
        "{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",\"metadata\":{}",
        page.metadata()
    );
    head.push_str(",\"items\":[");
    // Items of custom resources have `apiVersion` and `kind`; those of built-in kinds do not.
    let prefix = served.resource.is_custom().then(|| served.type_prefix());
    let size: usize = page.objects.iter().map(|o| o.body.len() + 100).sum();
    let chunks = Chunks {
        served: served.clone(),
        objects: page.objects.into_iter(),
        prefix,
        head: Some(head),
        first: true,
        done: false,
        large: None,
    };
    if size > CHUNK {
        return Body::stream(futures::stream::iter(chunks.map(Ok)));
    }
    let mut whole = BytesMut::new();
    for chunk in chunks {
        whole.extend_from_slice(&chunk);
    }
    Body::full(whole.freeze())
}

struct Chunks {
    served: Served,
    objects: std::vec::IntoIter<Arc<Stored>>,
    prefix: Option<String>,
    head: Option<String>,
    first: bool,
    done: bool,
    /// A large object to send next. It is not copied: readers that do not read share it.
    large: Option<Bytes>,
}

impl Chunks {
    /// Returns about how long the next chunk becomes: one that grows is copied each time.
    fn next_len(&self) -> usize {
        let around = self.prefix.as_ref().map_or(0, String::len) + AROUND;
        let mut len = self.head.as_ref().map_or(0, String::len);
        for object in self.objects.as_slice() {
            match object.body.len() {
                CHUNK.. => return len + around,
                body => len += body + around,
            }
            if len >= CHUNK {
                break;
            }
        }
        len + AROUND
    }
}

impl Iterator for Chunks {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if let Some(large) = self.large.take() {
            return Some(large);
        }
        if self.done {
            return None;
        }
        let mut chunk = BytesMut::with_capacity(self.next_len());
        if let Some(head) = self.head.take() {
            chunk.extend_from_slice(head.as_bytes());
        }
        for object in self.objects.by_ref() {
            if !std::mem::take(&mut self.first) {
                chunk.extend_from_slice(b",");
            }
            let mut body = self.served.body(&object);
            // The opening brace comes with the type.
            body.advance(1);
            chunk.extend_from_slice(b"{");
            if let Some(prefix) = &self.prefix {
                chunk.extend_from_slice(prefix.as_bytes());
                chunk.extend_from_slice(b",");
            }
            if body.len() >= CHUNK {
                self.large = Some(body);
                return Some(chunk.freeze());
            }
            chunk.extend_from_slice(&body);
            if chunk.len() >= CHUNK {
                return Some(chunk.freeze());
            }
        }
        self.done = true;
        chunk.extend_from_slice(b"]}\n");
        Some(chunk.freeze())
    }
}

/// Appends an object's JSON with its type in front of its fields.
pub(crate) fn append_typed(out: &mut BytesMut, prefix: &str, body: &[u8]) {
    out.extend_from_slice(b"{");
    out.extend_from_slice(prefix.as_bytes());
    out.extend_from_slice(b",");
    out.extend_from_slice(body.get(1..).unwrap_or_default());
}
