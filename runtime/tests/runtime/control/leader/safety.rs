//! There are never two leaders at a time, whatever the network does.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use codegen_runtime::leader::{LeaderElector, Leadership};
use proptest::prelude::*;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::config;
use crate::control::server::{Action, FaultKind, Server, refusal};
use crate::control::{ms, secs};

const NAMES: [&str; 3] = ["a", "b", "c"];

/// The handling of one contender's requests, in turn.
#[derive(Debug, Clone)]
enum Weather {
    Fine,
    Slow(u64),
    Lost,
    Hangs,
    Refuses,
    Fails,
}

fn weather() -> impl Strategy<Value = Weather> {
    prop_oneof![
        6 => Just(Weather::Fine),
        2 => (10_u64..8_000).prop_map(Weather::Slow),
        1 => Just(Weather::Lost),
        1 => Just(Weather::Hangs),
        1 => Just(Weather::Refuses),
        1 => Just(Weather::Fails),
    ]
}

/// A period: its length in seconds, each contender's weather, and the contender to restart.
#[derive(Debug, Clone)]
struct Stretch {
    seconds: u64,
    weathers: [Weather; 3],
    restart: Option<usize>,
}

fn stretch() -> impl Strategy<Value = Stretch> {
    let weathers = [weather(), weather(), weather()];
    let restart = prop::option::weighted(0.3, 0_usize..3);
    (1_u64..30, weathers, restart).prop_map(|(seconds, weathers, restart)| Stretch {
        seconds,
        weathers,
        restart,
    })
}

/// Who acted in which term, and when.
type Acts = Arc<Mutex<Vec<(Duration, &'static str, u64)>>>;

/// Contends indefinitely, and acts four times a second while it leads.
async fn contend(
    server: Server,
    name: &'static str,
    acts: Acts,
    stop: CancellationToken,
    start: Instant,
) {
    while !stop.is_cancelled() {
        let elector =
            LeaderElector::new(server.client_of(name), config(name).stop_timeout(secs(1))).unwrap();
        let acts = Arc::clone(&acts);
        let work = |term: Leadership| async move {
            while term.check().is_ok() && !term.token().is_cancelled() {
                acts.lock()
                    .unwrap()
                    .push((start.elapsed(), name, term.epoch()));
                sleep(ms(250)).await;
            }
        };
        elector.run(&stop, work).await;
        // A process that lost its term restarts.
        let _ = tokio::time::timeout(secs(1), stop.cancelled()).await;
    }
}

fn fault(weather: &Weather, call: &Action) -> Option<FaultKind> {
    if call.verb == "watch" {
        return None;
    }
    match weather {
        Weather::Fine => None,
        Weather::Slow(millis) => Some(FaultKind::Delay(ms(*millis))),
        Weather::Lost => Some(FaultKind::LoseAnswer),
        Weather::Hangs => Some(FaultKind::Hang),
        Weather::Refuses => Some(FaultKind::DropConnection),
        Weather::Fails => Some(refusal(500, "InternalError")),
    }
}

async fn run(stretches: Vec<Stretch>) {
    let (server, acts, start) = (Server::new(), Acts::default(), Instant::now());
    let now = Arc::new(Mutex::new([Weather::Fine, Weather::Fine, Weather::Fine]));
    let weathers = Arc::clone(&now);
    server.on_call(move |call| {
        let n = NAMES.iter().position(|name| *name == call.user)?;
        fault(&weathers.lock().unwrap()[n], call)
    });
    let begin = |name: &'static str| {
        let stop = CancellationToken::new();
        (
            tokio::spawn(contend(
                server.clone(),
                name,
                Arc::clone(&acts),
                stop.clone(),
                start,
            )),
            stop,
        )
    };
    let mut contenders = NAMES.map(begin);
    for stretch in stretches {
        *now.lock().unwrap() = stretch.weathers;
        if let Some(n) = stretch.restart {
            // Kills the process: the Lease is not released.
            contenders[n].0.abort();
            contenders[n] = begin(NAMES[n]);
        }
        sleep(secs(stretch.seconds)).await;
    }
    *now.lock().unwrap() = [Weather::Fine, Weather::Fine, Weather::Fine];
    let before = start.elapsed();
    sleep(secs(60)).await;
    contenders.iter().for_each(|(task, _)| task.abort());
    check(&acts.lock().unwrap(), before);
}

/// Asserts that each term has one contender, that terms are in order, and that there is a leader
/// once the weather is fine.
fn check(acts: &[(Duration, &'static str, u64)], fine_since: Duration) {
    for pair in acts.windows(2) {
        let [(earlier, who, term), (later, next_who, next_term)] = pair else {
            continue;
        };
        assert!(
            term <= next_term,
            "{who} of term {term} acted at {earlier:?}, {next_who} of {next_term} at {later:?}"
        );
        assert!(
            term != next_term || who == next_who,
            "{who} and {next_who} both acted in term {term}"
        );
    }
    assert!(
        acts.last()
            .is_some_and(|(at, ..)| *at > fine_since + secs(30)),
        "nobody leads in fine weather"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn two_never_lead_at_a_time_and_somebody_leads_in_the_end(stretches in prop::collection::vec(stretch(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(run(stretches));
    }
}
