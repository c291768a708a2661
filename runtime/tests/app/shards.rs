//! The flags of sharded controllers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use codegen_runtime::app::{App, ShardBy};
use codegen_runtime::fake;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio_util::sync::CancellationToken;

use crate::setup;

const PROGRAM: &str = "greet-controller";

fn app() -> App {
    App::new(PROGRAM, "0.1.0").sharded()
}

#[test]
fn a_program_that_can_be_sharded_has_flags_for_it() {
    app().command::<()>().debug_assert();
    let parse = |args: &[&str]| app().try_parse_from::<()>([&[PROGRAM], args].concat());
    let flags = parse(&[]).unwrap().flags.shards.unwrap();
    assert_eq!((flags.shard_by, flags.shard_weight), (None, 1));
    let flags = parse(&["--shard-by=namespace", "--shard-weight=3"]).unwrap();
    let flags = flags.flags.shards.unwrap();
    assert_eq!(
        (flags.shard_by, flags.shard_weight),
        (Some(ShardBy::Namespace), 3)
    );
    for invalid in ["--shard-by=name", "--shard-weight=0"] {
        assert!(parse(&[invalid]).is_err(), "{invalid}");
    }
    let other = App::new(PROGRAM, "0.1.0");
    let refused = other.try_parse_from::<()>([PROGRAM, "--shard-by=uid"]);
    assert!(refused.is_err());
}

#[tokio::test]
async fn a_sharded_program_is_a_member_of_a_group_beside_its_election() {
    let map: ConfigMap =
        serde_json::from_str(r#"{"metadata":{"name":"m","namespace":"default"}}"#).unwrap();
    let (client, tracker) = fake::serve(&[], [map]);
    let (seen, stop) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let line = [PROGRAM, "--shard-by=uid", "--holder-identity=Host_1"];
    let invocation = app().try_parse_from::<()>(line).unwrap();
    let (counted, stopped) = (Arc::clone(&seen), stop.clone());
    let running = tokio::spawn(async move {
        let setup = async |process, ()| setup(process, counted);
        app()
            .run_with(client, invocation.flags, (), setup, &stopped)
            .await
    });
    while seen.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let record = tracker.get::<Lease>("default", "greet-controller-shards");
    assert!(record.is_some());
    stop.cancel();
    running.await.unwrap().unwrap();
}
