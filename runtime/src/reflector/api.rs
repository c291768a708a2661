//! The [`ListWatch`] over kube's `Client`.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use kube::{Client, Error};

use super::source::{
    ListEnd, ListRequest, ListWatch, Listed, WatchItem, WatchRequest, WatchStream,
};
use super::wire::{ListReader, ListSyntaxError, Rules, decode_event, decode_listed};
use crate::client::{self, Endpoint, Lines, MOST_BYTES, Sent, TooLarge};
use crate::error::chain;
use crate::object::{Cacheable, ResourceInfo};

const JSON: &str = "application/json";
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// The list options of an [`ApiSource`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiSourceOptions {
    /// Restricts objects to those that match this label selector.
    pub label_selector: Option<String>,
    /// Restricts objects to those that match this field selector.
    pub field_selector: Option<String>,
    /// Keeps `metadata.managedFields`, which take several kilobytes per object and are rarely
    /// needed.
    pub keep_managed_fields: bool,
}

impl ApiSourceOptions {
    /// Restricts objects to those that match this label selector.
    #[must_use]
    pub fn label_selector(mut self, selector: impl Into<String>) -> Self {
        self.label_selector = Some(selector.into());
        self
    }

    /// Restricts objects to those that match this field selector.
    #[must_use]
    pub fn field_selector(mut self, selector: impl Into<String>) -> Self {
        self.field_selector = Some(selector.into());
        self
    }

    /// Keeps `metadata.managedFields`.
    #[must_use]
    pub fn keep_managed_fields(mut self) -> Self {
        self.keep_managed_fields = true;
        self
    }
}

/// Lists and watches one resource of an API server.
pub struct ApiSource<K> {
    endpoint: Endpoint,
    options: ApiSourceOptions,
    metadata_only: bool,
    rules: Arc<Rules>,
    kind: PhantomData<fn() -> K>,
}

impl<K: Cacheable> ApiSource<K> {
    /// Creates a source for `K` in `namespace`; `None` for all namespaces and at cluster scope.
    pub fn new(
        client: Client,
        dynamic: &K::DynamicType,
        namespace: Option<&str>,
        options: ApiSourceOptions,
    ) -> Self {
        let info = ResourceInfo::of::<K>(dynamic);
        let mut kinds = vec![(info.api_version(), info.kind.clone())];
        if info.metadata_only {
            kinds.push((
                "meta.k8s.io/v1".to_owned(),
                "PartialObjectMetadata".to_owned(),
            ));
        }
        let rules = Arc::new(Rules {
            kinds,
            keep_managed_fields: options.keep_managed_fields,
        });
        let url = K::url_path(dynamic, namespace);
        Self {
            endpoint: Endpoint::new(client, &url, namespace),
            options,
            metadata_only: info.metadata_only,
            rules,
            kind: PhantomData,
        }
    }

    async fn send(
        &self,
        query: String,
        accept: &'static str,
    ) -> Result<(Response<Body>, Sent), Error> {
        let uri = format!("{}?{query}", self.endpoint.url()?);
        let mut request = Request::get(uri)
            .body(Vec::new())
            .map_err(Error::HttpError)?;
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        // Since 1.37 the API server compresses each watch event separately; common decoders stop
        // after the first.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        client::send(&self.endpoint.client, request).await
    }

    async fn read_list(
        &self,
        body: Body,
        each: &mut (dyn FnMut(Listed<K>) + Send),
    ) -> Result<ListEnd, Error> {
        let mut body = body.into_data_stream();
        let mut reader = ListReader::default();
        while let Some(chunk) = body.next().await {
            let mut broken = None;
            let mut each = |item: &[u8]| match decode_listed(item, &self.rules) {
                Ok(listed) => each(listed),
                Err(error) => broken = Some(error),
            };
            reader.feed(&chunk?, &mut each).map_err(no_list)?;
            if let Some(error) = broken {
                return Err(error);
            }
        }
        reader.finish().map_err(no_list)
    }

    fn query(&self, shards: Option<&String>) -> form_urlencoded::Serializer<'static, String> {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if let Some(selector) = &self.options.label_selector {
            query.append_pair("labelSelector", selector);
        }
        if let Some(selector) = &self.options.field_selector {
            query.append_pair("fieldSelector", selector);
        }
        if let Some(selector) = shards {
            query.append_pair(kube_names::shard::PARAMETER, selector);
        }
        query
    }

    fn list_query(&self, request: &ListRequest) -> String {
        let mut query = self.query(request.shard_selector.as_ref());
        if let Some(limit) = request.limit {
            query.append_pair("limit", &limit.to_string());
        }
        match &request.continue_token {
            // The token contains the version; sending both is an error.
            Some(token) => {
                query.append_pair("continue", token);
            }
            None if !request.resource_version.is_empty() => {
                query.append_pair("resourceVersion", &request.resource_version);
            }
            None => {}
        }
        query.finish()
    }

    fn watch_query(&self, request: &WatchRequest) -> String {
        let mut query = self.query(request.shard_selector.as_ref());
        query
            .append_pair("watch", "true")
            .append_pair("allowWatchBookmarks", "true");
        query.append_pair("timeoutSeconds", &request.timeout_seconds.to_string());
        if !request.resource_version.is_empty() {
            query.append_pair("resourceVersion", &request.resource_version);
        }
        if request.send_initial_events {
            query
                .append_pair("sendInitialEvents", "true")
                .append_pair("resourceVersionMatch", "NotOlderThan");
        }
        query.finish()
    }
}

impl<K: Cacheable> ListWatch<K> for ApiSource<K> {
    fn list<'a>(
        &'a self,
        request: ListRequest,
        each: &'a mut (dyn FnMut(Listed<K>) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, Error>> {
        async move {
            let accept = if self.metadata_only {
                METADATA_LIST
            } else {
                JSON
            };
            let (response, sent) = self.send(self.list_query(&request), accept).await?;
            let list = self.read_list(response.into_body(), each).await;
            list.map_err(|error| sent.blame(error))
        }
        .boxed()
    }

    fn watch(&self, request: WatchRequest) -> BoxFuture<'_, Result<WatchStream<K>, Error>> {
        async move {
            let accept = if self.metadata_only { METADATA } else { JSON };
            let (response, sent) = self.send(self.watch_query(&request), accept).await?;
            let start = Events {
                body: response.into_body().into_data_stream(),
                lines: Lines::default(),
                rules: self.rules.clone(),
                failed: None,
            };
            let events = futures::stream::unfold(Some(start), next_events);
            Ok(events
                .map(move |items| items.map_err(|error| sent.blame(error)))
                .boxed())
        }
        .boxed()
    }
}

/// Returns the error for an answer that is not a list: the server's, if it is a status.
fn no_list(error: ListSyntaxError) -> Error {
    match error {
        ListSyntaxError::Failure(status) => Error::Api(status),
        other => Error::ReadEvents(io::Error::new(io::ErrorKind::InvalidData, other)),
    }
}

/// A watch in progress.
struct Events<B> {
    body: B,
    lines: Lines,
    rules: Arc<Rules>,
    /// An error that follows events of the same chunk.
    failed: Option<Error>,
}

type Step<K, B> = (Result<Vec<WatchItem<K>>, Error>, Option<Events<B>>);

/// Reads until a chunk completes at least one event.
async fn next_events<K, B, E>(events: Option<Events<B>>) -> Option<Step<K, B>>
where
    K: Cacheable,
    B: futures::Stream<Item = Result<Bytes, E>> + Unpin,
    E: std::error::Error + 'static,
{
    let mut events = events?;
    if let Some(error) = events.failed.take() {
        return Some((Err(error), None));
    }
    let mut items = Vec::new();
    loop {
        let chunk = match events.body.next().await {
            Some(Ok(chunk)) => chunk,
            Some(Err(error)) => {
                // As in client-go, a broken connection ends the watch without an error; it is
                // resumed from the last event.
                tracing::debug!(error = %chain(&error), "watch connection ended");
                return None;
            }
            None => {
                let Events { lines, rules, .. } = events;
                let last = lines.finish(|line| decode_line(line, &rules, &mut items));
                return match last {
                    Err(error) => Some((Err(error), None)),
                    Ok(()) if items.is_empty() => None,
                    Ok(()) => Some((Ok(items), None)),
                };
            }
        };
        let rules = &events.rules;
        let fed = events
            .lines
            .feed(&chunk, |line| decode_line(line, rules, &mut items));
        match fed {
            Err(error) => events.failed = Some(error),
            Ok(()) if events.lines.buffered() > MOST_BYTES => {
                events.failed = Some(Error::Service(Box::new(TooLarge)))
            }
            Ok(()) if items.is_empty() => continue,
            Ok(()) => {}
        }
        return match (events.failed.take(), items.is_empty()) {
            (Some(error), true) => Some((Err(error), None)),
            (failed, _) => {
                events.failed = failed;
                Some((Ok(items), Some(events)))
            }
        };
    }
}

fn decode_line<K: Cacheable>(
    line: &[u8],
    rules: &Rules,
    items: &mut Vec<WatchItem<K>>,
) -> Result<(), Error> {
    items.push(decode_event(line, rules)?);
    Ok(())
}
