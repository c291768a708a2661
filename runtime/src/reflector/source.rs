//! The source of a reflector: client-go's `ListerWatcher`.

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use super::error::Undecodable;

/// A request for one page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListRequest {
    /// The oldest acceptable state: "" for the newest, "0" for any, otherwise not older than that
    /// version.
    pub resource_version: String,
    /// The maximum number of objects; `None` for all.
    pub limit: Option<u32>,
    /// The continue token of the previous page.
    pub continue_token: Option<String>,
    /// The part of the objects to list, as a `shardSelector` (KEP-5866). A server that does not
    /// know it lists all.
    pub shard_selector: Option<String>,
}

/// A request for a watch, or for a streamed list followed by a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchRequest {
    /// The version after which changes are sent; see [`ListRequest::resource_version`] for "" and
    /// "0".
    pub resource_version: String,
    /// The number of seconds after which the server ends the watch.
    pub timeout_seconds: u32,
    /// Whether the server sends every existing object first, closed by an annotated bookmark
    /// (`sendInitialEvents=true&resourceVersionMatch=NotOlderThan`).
    pub send_initial_events: bool,
    /// See [`ListRequest::shard_selector`].
    pub shard_selector: Option<String>,
}

/// The metadata of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListEnd {
    /// The version of the list.
    pub resource_version: String,
    /// The token of the next page, if there is one.
    pub continue_token: Option<String>,
}

/// One object of a list.
#[derive(Clone, Debug)]
pub enum Listed<K> {
    /// An object.
    Object(K),
    /// An object that was skipped.
    Undecodable(Undecodable),
}

/// One event of a watch.
#[derive(Clone, Debug)]
pub enum WatchItem<K> {
    /// The object appeared.
    Added(K),
    /// The object changed.
    Modified(K),
    /// The object is gone; this is its last state.
    Deleted(K),
    /// All changes up to this version have been sent.
    Bookmark {
        /// The version.
        resource_version: String,
        /// Whether this closes the initial events of a streamed list.
        initial_events_end: bool,
    },
    /// An object that was skipped.
    Undecodable {
        /// Whether the event was a deletion.
        deleted: bool,
        /// The object and the reason.
        object: Undecodable,
    },
}

/// The events of a watch, in groups as they arrive. The stream ends when the server ends the watch
/// or the connection breaks; an error is one that the server sent, or a part of the stream that is
/// not an event.
pub type WatchStream<K> = BoxStream<'static, Result<Vec<WatchItem<K>>, kube::Error>>;

/// Lists and watches the objects of one resource.
pub trait ListWatch<K>: Send + Sync + 'static {
    /// Lists one page and passes each object to `each` as it is decoded.
    fn list<'a>(
        &'a self,
        request: ListRequest,
        each: &'a mut (dyn FnMut(Listed<K>) + Send),
    ) -> BoxFuture<'a, Result<ListEnd, kube::Error>>;

    /// Starts a watch.
    fn watch(&self, request: WatchRequest) -> BoxFuture<'_, Result<WatchStream<K>, kube::Error>>;
}
