use codegen_runtime::metrics::Metrics;
use codegen_runtime::workqueue::WorkQueue;
use tokio::time::sleep;

use crate::workqueue::{ms, now, take_all};

/// Returns the value of the `test` queue's series `name`.
fn read(metrics: &Metrics, name: &str) -> f64 {
    let text = metrics.encode().expect("encode");
    let series = format!("{name}{{controller=\"test\",name=\"test\"}} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&series));
    line.unwrap_or_else(|| panic!("no {series} in\n{text}"))
        .parse()
        .expect("a number")
}

#[tokio::test(start_paused = true)]
async fn client_gos_metrics_tell_depth_adds_times_and_retries() {
    let metrics = Metrics::new();
    let queue = WorkQueue::builder().name("test").metrics(&metrics).build();
    queue.add("a");
    queue.add("a");
    queue.add("b");
    queue.add_after("c", ms(500));
    assert_eq!(read(&metrics, "workqueue_depth"), 2.0);
    assert_eq!(read(&metrics, "workqueue_adds_total"), 2.0);
    sleep(ms(1000)).await;
    assert_eq!(read(&metrics, "workqueue_depth"), 3.0);
    assert_eq!(read(&metrics, "workqueue_adds_total"), 3.0);

    let a = now(&queue).await;
    assert_eq!(read(&metrics, "workqueue_queue_duration_seconds_sum"), 1.0);
    sleep(ms(2000)).await;
    let b = now(&queue).await;
    sleep(ms(500)).await;
    assert_eq!(read(&metrics, "workqueue_unfinished_work_seconds"), 3.0);
    assert_eq!(
        read(&metrics, "workqueue_longest_running_processor_seconds"),
        2.5
    );
    queue.add_rate_limited(*a);
    a.done();
    b.done();
    assert_eq!(read(&metrics, "workqueue_retries_total"), 1.0);
    assert_eq!(read(&metrics, "workqueue_work_duration_seconds_sum"), 3.0);
    assert_eq!(read(&metrics, "workqueue_work_duration_seconds_count"), 2.0);
    assert_eq!(read(&metrics, "workqueue_unfinished_work_seconds"), 0.0);
    assert_eq!(take_all(&queue).await, ["c"]);
}

#[tokio::test]
async fn a_dropped_queue_leaves_no_series_behind() {
    let metrics = Metrics::new();
    let queue = WorkQueue::builder().name("test").metrics(&metrics).build();
    queue.add(1);
    drop(queue);
    let text = metrics.encode().expect("encode");
    assert!(!text.contains("workqueue_depth{"), "{text}");
    assert!(!text.contains("workqueue_adds_total{"), "{text}");
}
