//! `process_*`: the process metrics of every Prometheus client, read from `/proc` on each scrape.
//!
//! Without `/proc` these metrics are absent.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use super::table::{self, MetricInfo};

/// The unit of times in `/proc`: user space sees 100 ticks per second on every architecture that
/// Rust supports.
const TICKS: f64 = 100.0;

#[derive(Debug)]
pub(super) struct Process;

/// The statistics of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Figures {
    /// Seconds.
    cpu: Option<f64>,
    /// Seconds since 1970.
    start: Option<f64>,
    /// Bytes.
    virtual_memory: Option<f64>,
    resident: Option<f64>,
    virtual_memory_max: Option<f64>,
    open_fds: Option<f64>,
    max_fds: Option<f64>,
    /// Bytes, over all network devices visible to the process.
    received: Option<f64>,
    transmitted: Option<f64>,
}

type Read = fn(&Figures) -> Option<f64>;

const COUNTERS: [(MetricInfo, Read); 3] = [
    (table::PROCESS_CPU, |figures| figures.cpu),
    (table::PROCESS_RECEIVED, |figures| figures.received),
    (table::PROCESS_TRANSMITTED, |figures| figures.transmitted),
];

const GAUGES: [(MetricInfo, Read); 6] = [
    (table::PROCESS_FDS, |figures| figures.open_fds),
    (table::PROCESS_FDS_MAX, |figures| figures.max_fds),
    (table::PROCESS_VIRTUAL, |figures| figures.virtual_memory),
    (table::PROCESS_VIRTUAL_MAX, |figures| {
        figures.virtual_memory_max
    }),
    (table::PROCESS_RESIDENT, |figures| figures.resident),
    (table::PROCESS_START, |figures| figures.start),
];

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let figures = Figures::now();
        for (info, read) in COUNTERS {
            if let Some(figure) = read(&figures) {
                ConstCounter::new(figure).encode(info.describe(&mut encoder)?)?;
            }
        }
        for (info, read) in GAUGES {
            if let Some(figure) = read(&figures) {
                ConstGauge::new(figure).encode(info.describe(&mut encoder)?)?;
            }
        }
        Ok(())
    }
}

impl Figures {
    fn now() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let mut figures = Self::default();
        figures.read_stat(&read("/proc/self/stat"), &read("/proc/stat"));
        figures.read_status(&read("/proc/self/status"));
        figures.read_limits(&read("/proc/self/limits"));
        figures.read_network(&read("/proc/self/net/dev"));
        // The listing itself has the folder open.
        let open = fs::read_dir("/proc/self/fd").ok();
        figures.open_fds = open.map(|entries| entries.count().saturating_sub(1) as f64);
        figures
    }

    /// The command's name is in parentheses and may contain any character, so fields are counted
    /// from after it.
    fn read_stat(&mut self, own: &str, system: &str) {
        let Some((_, fields)) = own.rsplit_once(')') else {
            return;
        };
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        // Numbers are those of proc(5), which start at 1 and include the two fields before.
        let field = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
        self.cpu = field(14)
            .zip(field(15))
            .map(|(user, system)| (user + system) / TICKS);
        self.virtual_memory = field(23);
        let boot = system.lines().find_map(|line| line.strip_prefix("btime "));
        let boot = boot.and_then(|seconds| seconds.trim().parse::<f64>().ok());
        self.start = boot
            .zip(field(22))
            .map(|(boot, ticks)| boot + ticks / TICKS);
    }

    fn read_status(&mut self, status: &str) {
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes =
            line.and_then(|line| line.split_ascii_whitespace().next()?.parse::<f64>().ok());
        self.resident = kibibytes.map(|kibibytes| kibibytes * 1024.0);
    }

    fn read_limits(&mut self, limits: &str) {
        let soft = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
            match line.split_ascii_whitespace().next()? {
                // As client_golang writes it.
                "unlimited" => Some(u64::MAX as f64),
                number => number.parse::<f64>().ok(),
            }
        };
        self.max_fds = soft("Max open files");
        self.virtual_memory_max = soft("Max address space");
    }

    fn read_network(&mut self, devices: &str) {
        let (mut received, mut transmitted, mut any) = (0.0, 0.0, false);
        for line in devices.lines() {
            let Some((_, numbers)) = line.split_once(':') else {
                continue;
            };
            let numbers: Vec<&str> = numbers.split_ascii_whitespace().collect();
            let number = |at: usize| numbers.get(at).and_then(|it| it.parse::<f64>().ok());
            if let Some((here, there)) = number(0).zip(number(8)) {
                (received, transmitted, any) = (received + here, transmitted + there, true);
            }
        }
        if any {
            (self.received, self.transmitted) = (Some(received), Some(transmitted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_proc() {
        let mut figures = Figures::default();
        figures.read_stat(
            "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 4 0 1000 8192000 300 1844 1 1",
            "cpu 1 2\nbtime 1700000000\nprocesses 3\n",
        );
        figures.read_status("Name:\ta\nVmRSS:\t    1024 kB\n");
        figures.read_limits(
            "Limit            Soft Limit  Hard Limit  Units\nMax open files   1024   4096   files\nMax address space   unlimited   unlimited   bytes\n",
        );
        figures.read_network(
            "Inter-|   Receive |  Transmit\n face |bytes packets\n  lo: 10 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\neth0: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n",
        );
        let expected = Figures {
            cpu: Some(3.0),
            start: Some(1_700_000_010.0),
            virtual_memory: Some(8_192_000.0),
            resident: Some(1_048_576.0),
            virtual_memory_max: Some(u64::MAX as f64),
            open_fds: None,
            max_fds: Some(1024.0),
            received: Some(15.0),
            transmitted: Some(17.0),
        };
        assert_eq!(figures, expected);
    }

    #[test]
    fn nothing_is_made_of_texts_of_another_form() {
        let mut figures = Figures::default();
        for text in [
            "",
            ")",
            "1 (a) S",
            "Max open files",
            ":",
            "VmRSS:",
            "a: b c",
        ] {
            figures.read_stat(text, text);
            figures.read_status(text);
            figures.read_limits(text);
            figures.read_network(text);
        }
        assert_eq!(figures, Figures::default());
    }
}
