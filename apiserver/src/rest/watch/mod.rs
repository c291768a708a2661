//! Watch requests: events from the store's log, read by cursor at the client's pace.
//!
//! A watcher has a cursor and no buffer. If it falls behind the bounded history, its stream ends
//! with an `Expired` error, as in kube-apiserver.

mod encode;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use crate::core::Core;
use crate::http::body::Body;
use crate::http::negotiate::Format;
use crate::http::respond::{Answer, Content};
use crate::rest::Call;
use crate::rest::conversion::prepare;
use crate::rest::list_options::{ListOptions, Verb};
use crate::status::ApiError;
use crate::store::{Snapshot, Stored};
use crate::table::Include;

use encode::Encoder;
use stream::Watcher;

/// Handles GET of a collection with `watch`.
///
/// # Errors
/// 422 for contradictory parameters. As in kube-apiserver, a resourceVersion that is too old is
/// reported in the stream, and one in the future is waited for.
pub(super) async fn watch(core: &Arc<Core>, call: &Call) -> Result<Answer, ApiError> {
    if call.accepted.format != Format::Json {
        return Err(ApiError::not_acceptable(
            "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
        ));
    }
    let options = ListOptions::parse(&core.options, call, Verb::Watch)?;
    let id = call.served.resource.id;
    let wakes = core
        .store
        .subscribe(id)
        .ok_or_else(ApiError::no_such_resource)?;
    let include = Include::parse(call.query.text("includeObject"))?;
    let start = start(core, call, &options)?;
    let initial = start.initial.as_slice().iter();
    let seen = initial.filter(|object| options.filter.may_match(object));
    prepare(core, &call.served, seen).await?;
    let encoder = Encoder::new(call.served.clone(), call.accepted, include);
    let mut watcher = Watcher::new(core.clone(), encoder, options.filter, wakes, start.cursor);
    watcher.initial = start.initial;
    watcher.end_marker = start.end_marker;
    watcher.bookmarks = options.bookmarks;
    watcher.events_left = call.struck.cut_watch;
    watcher.deadline = tokio::time::Instant::now() + timeout(options.timeout_seconds);
    let current = core.store.revision();
    match options.revision {
        Some(asked) if options.initial_events == Some(true) && asked > current => {
            (watcher.initial, watcher.end_marker) = Default::default();
            watcher.fail(ApiError::future_version(asked, current));
        }
        _ if core.store.oldest(id) > start.cursor => watcher.fail_expired(start.cursor),
        _ => {}
    }
    Ok(Answer::new(
        200,
        Content::Events(Body::stream(watcher.into_stream())),
    ))
}

/// The maximum duration of a watch (one year): the clock overflows with arbitrary numbers of
/// seconds.
const LONGEST_WATCH: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Returns the duration of a watch; by default, a random one between 30 and 60 minutes.
fn timeout(asked: Option<u64>) -> Duration {
    let seconds = asked.unwrap_or_else(|| rand::random_range(1800..3600));
    Duration::from_secs(seconds).min(LONGEST_WATCH)
}

struct Start {
    cursor: u64,
    initial: std::vec::IntoIter<Arc<Stored>>,
    end_marker: Option<u64>,
}

/// Determines where a watch starts: after a resourceVersion, or with the current state as synthetic
/// events.
fn start(core: &Core, call: &Call, options: &ListOptions) -> Result<Start, ApiError> {
    let current = core.store.revision();
    let state = || -> Snapshot {
        core.store
            .snapshot(call.served.resource.id, &options.filter.namespace)
    };
    Ok(match (options.initial_events, options.revision) {
        (Some(true), _) => {
            let snapshot = state();
            Start {
                cursor: snapshot.revision,
                end_marker: options.bookmarks.then_some(snapshot.revision),
                initial: snapshot.objects.into_iter(),
            }
        }
        (_, revision) => Start {
            cursor: revision.filter(|r| *r > 0).unwrap_or(current),
            initial: Vec::new().into_iter(),
            end_marker: None,
        },
    })
}
