//! Scenarios: text files with steps that change objects and check the outcome, independent of the
//! implementation under test.
//!
//! A scenario starts with `scenario NAME`; each following line is a step: see
//! [`steps`](self::steps) and [`checks`](self::checks). Every scenario has its own namespace, and
//! all run concurrently. With `KCM_REPORT=FILE` each scenario appends a line to that file: its
//! name, `ok` or the failure, and the final state without names and times, so that two
//! implementations can be compared.

mod checks;
mod namespace;
mod record;
mod steps;

use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt;

use crate::cluster::Cluster;
use namespace::Namespace;

const FILES: &[&str] = &[
    include_str!("../scenarios/times.txt"),
    include_str!("../scenarios/replicasets.txt"),
    include_str!("../scenarios/deployments.txt"),
    include_str!("../scenarios/faults.txt"),
];

/// The number of scenarios that run concurrently on a server of this process. Most of a scenario is
/// waiting.
const AT_ONCE: usize = 48;

/// The number of scenarios that run concurrently on a real server.
const AT_ONCE_ON_A_REAL_SERVER: usize = 16;

/// A name and its steps.
struct Scenario {
    name: &'static str,
    steps: Vec<&'static str>,
}

fn read() -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let lines = FILES.iter().flat_map(|file| file.lines()).map(str::trim);
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (line.strip_prefix("scenario "), scenarios.last_mut()) {
            (Some(name), _) => scenarios.push(Scenario {
                name,
                steps: Vec::new(),
            }),
            (None, Some(scenario)) => scenario.steps.push(line),
            (None, None) => panic!("a step before the first scenario: {line}"),
        }
    }
    scenarios
}

#[test]
fn scenarios_are_at_least_sixty_and_have_names_of_their_own() {
    let mut names: Vec<_> = read().into_iter().map(|scenario| scenario.name).collect();
    assert!(names.len() >= 60, "{}", names.len());
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scenarios() {
    let filter = std::env::var("KCM_SCENARIO").unwrap_or_default();
    // Restarts and cut watches disturb other scenarios, which is a useful fault, except for those
    // with deadlines. A watch that is cut again and again is tried later and later, so the restarts
    // do not wait for that.
    let has = |scenario: &Scenario, step| scenario.steps.contains(&step);
    let filtered = read()
        .into_iter()
        .filter(|scenario| scenario.name.contains(&filter));
    let (cut, others): (Vec<_>, Vec<_>) = filtered.partition(|it| has(it, "cut-watches"));
    let (restarted, calm): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|it| has(it, "restart-loops"));
    let cluster = Cluster::start().await;
    let results = if cluster.is_embedded() {
        let (other, another) = (Cluster::start().await, Cluster::start().await);
        let runs = futures::join!(
            run_all(&cluster, calm),
            run_all(&other, restarted),
            run_all(&another, cut)
        );
        [runs.0, runs.1, runs.2]
    } else {
        let calm = run_all(&cluster, calm).await;
        let restarted = run_all(&cluster, restarted).await;
        [calm, restarted, run_all(&cluster, cut).await]
    };
    let mut results = results.concat();
    results.sort();
    report(&results);
    let failed: Vec<_> = results
        .iter()
        .filter_map(|(name, result, _)| result.as_ref().err().map(|why| format!("{name}: {why}")))
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} scenarios failed:\n{}",
        failed.len(),
        results.len(),
        failed.join("\n")
    );
}

type Outcome = (&'static str, Result<(), String>, String);

async fn run_all(cluster: &Arc<Cluster>, scenarios: Vec<Scenario>) -> Vec<Outcome> {
    let at_once = if cluster.is_embedded() {
        AT_ONCE
    } else {
        AT_ONCE_ON_A_REAL_SERVER
    };
    let runs = scenarios
        .into_iter()
        .map(|scenario| run(cluster.clone(), scenario));
    futures::stream::iter(runs)
        .buffer_unordered(at_once)
        .collect()
        .await
}

async fn run(cluster: Arc<Cluster>, scenario: Scenario) -> Outcome {
    let started = Instant::now();
    let mut namespace = Namespace::create(cluster, scenario.name).await;
    let mut result = Ok(());
    for step in &scenario.steps {
        result = namespace
            .step(step)
            .await
            .map_err(|why| format!("{step}: {why}"));
        if result.is_err() {
            break;
        }
    }
    let state = namespace.at_rest().await;
    if std::env::var_os("KCM_VERBOSE").is_some() {
        eprintln!("{} {:?} {:?}", scenario.name, started.elapsed(), result);
    }
    namespace.remove().await;
    (scenario.name, result, state)
}

fn report(results: &[Outcome]) {
    let Ok(path) = std::env::var("KCM_REPORT") else {
        return;
    };
    let mut text = String::new();
    for (name, result, state) in results {
        let result = result.as_ref().map_or_else(
            |why| format!("FAILED {}", why.replace(['\t', '\n'], " ")),
            |()| "ok".to_owned(),
        );
        writeln!(text, "{name}\t{result}\t{state}").expect("a line");
    }
    std::fs::write(path, text).expect("the report");
}
