//! Shared by the programs of the informer benchmark: the resource, its objects, and a reader of the
//! process's memory use.

/// The objects of the runtime's own benchmarks.
#[path = "../../../../runtime/benches/cache/objects.rs"]
pub mod objects;

/// The path of the resource.
pub const PATH: &str = "/apis/bench.example.com/v1/widgets";

/// Returns the current and the peak resident memory of the process, in kilobytes.
pub fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let read = |field: &str| {
        let line = status.lines().find(|line| line.starts_with(field));
        line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
            .unwrap_or_default()
    };
    (read("VmRSS:"), read("VmHWM:"))
}
