//! Processes of the host: which one belongs to a machine, its usage, and its termination.
//!
//! A process belongs to a machine if the machine's pid file is among its arguments. The pid file
//! alone is only a hint: the pid in it may have been reused.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, pidfd_send_signal, waitpid,
};

/// The argument of QEMU that precedes the path of its pid file.
pub(super) const PID_FILE: &str = "-pidfile";

/// A live process of a machine.
pub(super) struct Process {
    /// The pid.
    pub(super) pid: i32,
    /// A pidfd, so that signals cannot reach another process that reuses the pid.
    fd: OwnedFd,
    /// The statistics when the process was found.
    pub(super) stat: Stat,
}

impl Process {
    /// Returns the process named by `pid_file`, if it is alive and was started with that file.
    pub(super) fn of(pid_file: &Path) -> io::Result<Option<Self>> {
        let text = match fs::read_to_string(pid_file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // QEMU may be writing the file.
        match text.trim().parse() {
            Ok(pid) => Self::open(pid, pid_file),
            Err(_) => Ok(None),
        }
    }

    /// Returns all live processes that were started with `pid_file`, even if the file is lost or
    /// not written yet.
    pub(super) fn all_of(pid_file: &Path) -> io::Result<Vec<Self>> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let pid = entry?.file_name().to_str().and_then(|it| it.parse().ok());
            if let Some(pid) = pid
                && let Some(process) = Self::open(pid, pid_file)?
            {
                found.push(process);
            }
        }
        Ok(found)
    }

    fn open(number: i32, pid_file: &Path) -> io::Result<Option<Self>> {
        let Some(pid) = (number > 0).then(|| Pid::from_raw(number)).flatten() else {
            return Ok(None);
        };
        let fd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(fd) => fd,
            // No such process, or the id of a thread.
            Err(Errno::SRCH | Errno::INVAL) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let of_process = |file: &str| {
            let text = fs::read(format!("/proc/{number}/{file}"));
            text.map_or_else(absent, |text| Ok(Some(text)))
        };
        let Some(stat) = of_process("stat")?.and_then(|text| Stat::parse(&text)) else {
            return Ok(None);
        };
        if stat.is_dead() {
            // A daemon whose parent exits is adopted by process 1, which in a container is the
            // controller itself: reap it.
            if stat.parent == getpid().as_raw_nonzero().get() && is_pid_1() {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            return Ok(None);
        }
        let ours = of_process("cmdline")?.is_some_and(|text| names(&text, pid_file));
        Ok(ours.then_some(Self {
            pid: number,
            fd,
            stat,
        }))
    }

    /// Kills the process.
    pub(super) fn kill(&self) -> io::Result<()> {
        match pidfd_send_signal(&self.fd, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns for how long the process has been running.
    pub(super) fn age(&self) -> io::Result<Duration> {
        let second = rustix::param::clock_ticks_per_second().max(1);
        let started = self.stat.started.saturating_mul(1000) / second;
        Ok(uptime()?.saturating_sub(Duration::from_millis(started)))
    }

    /// Whether the file is the process's standard input.
    pub(super) fn reads_from(&self, path: &Path) -> bool {
        fs::read_link(format!("/proc/{}/fd/0", self.pid)).is_ok_and(|file| file == path)
    }

    /// The resident memory, in bytes.
    pub(super) fn resident(&self) -> u64 {
        fs::read_to_string(format!("/proc/{}/status", self.pid))
            .ok()
            .and_then(|text| resident(&text))
            .unwrap_or(0)
    }
}

/// Treats a process that has ended as absent, and one that this user cannot see as well, since it
/// is not ours.
fn absent<T>(error: io::Error) -> io::Result<Option<T>> {
    let kind = error.kind();
    let gone = matches!(
        kind,
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
    ) || error.raw_os_error() == Some(Errno::SRCH.raw_os_error());
    if gone { Ok(None) } else { Err(error) }
}

fn is_pid_1() -> bool {
    getpid().as_raw_nonzero().get() == 1
}

/// Whether the arguments of a process, each terminated by a zero byte, include `pid_file`.
fn names(arguments: &[u8], pid_file: &Path) -> bool {
    let mut arguments = arguments.split(|byte| *byte == 0);
    arguments.any(|it| it == PID_FILE.as_bytes())
        && arguments.next() == Some(pid_file.as_os_str().as_bytes())
}

/// Fields of `/proc/<pid>/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    state: char,
    parent: i32,
    /// The processor time of all its threads, in clock ticks.
    pub(super) ticks: u64,
    /// The start time, in clock ticks since the host booted.
    pub(super) started: u64,
}

impl Stat {
    /// Parses the file; `None` if it is malformed.
    fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        // The second field is the name in parentheses, which may contain spaces and parentheses.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        // proc(5) numbers this field 3.
        let field = |number: usize| fields.get(number - 3);
        let number = |at| field(at)?.parse::<u64>().ok();
        Some(Self {
            state: field(3)?.chars().next()?,
            parent: field(4)?.parse().ok()?,
            ticks: number(14)?.checked_add(number(15)?)?,
            started: number(22)?,
        })
    }

    fn is_dead(self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// `VmRSS` of `/proc/<pid>/status`, in bytes.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// Returns the uptime of the host.
pub(super) fn uptime() -> io::Result<Duration> {
    let text = fs::read_to_string("/proc/uptime")?;
    parse_uptime(&text).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "/proc/uptime"))
}

fn parse_uptime(text: &str) -> Option<Duration> {
    let seconds = text.split_whitespace().next()?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_of_a_process_with_any_name() {
        let check = |text: &str, expected| {
            let found =
                Stat::parse(text.as_bytes()).map(|it| (it.state, it.parent, it.ticks, it.started));
            assert_eq!(found, expected, "{text}");
        };
        let rest = "S 1 24479 24479 0 -1 138412480 3479 0 1 0 40 2 0 0 20 0 5 0 1669756 1520107520";
        check(
            &format!("7 (qemu-system-x86) {rest}"),
            Some(('S', 1, 42, 1_669_756)),
        );
        check(
            &format!("7 (a) Z 9 (b)) {rest}"),
            Some(('S', 1, 42, 1_669_756)),
        );
        check("7 (qemu) S 1 2", None);
        check("", None);
        check("7 (qemu) S 1 2 3 4 5 6 7 8 9 10 11 x y 0 0 0 0 0 0 5", None);
    }

    #[test]
    fn the_dead_are_known() {
        let text = "7 (q) Z 1 2 3 0 -1 0 0 0 0 0 4 2 0 0 20 0 5 0 16 0";
        assert!(Stat::parse(text.as_bytes()).unwrap().is_dead());
    }

    #[test]
    fn resident_memory() {
        let check = |text, expected| assert_eq!(resident(text), expected, "{text}");
        check(
            "Name:\tqemu\nVmHWM:\t 9 kB\nVmRSS:\t   37608 kB\n",
            Some(38_510_592),
        );
        check("Name:\tqemu\n", None);
        check("VmRSS:\t18446744073709551615 kB\n", None);
    }

    #[test]
    fn uptime_of_the_host() {
        assert_eq!(
            parse_uptime("16697.5 3694.96\n"),
            Some(Duration::from_millis(16_697_500))
        );
        assert_eq!(parse_uptime("-1 0"), None);
        assert_eq!(parse_uptime(""), None);
    }

    #[test]
    fn arguments_name_the_pid_file() {
        let check = |arguments: &str, expected| {
            let found = names(arguments.as_bytes(), Path::new("/state/vm-1/pid"));
            assert_eq!(found, expected, "{arguments:?}");
        };
        check("qemu\0-pidfile\0/state/vm-1/pid\0-daemonize\0", true);
        check("qemu\0-pidfile\0/state/vm-12/pid\0", false);
        check("qemu\0-pidfile\0", false);
        check("cat\0/state/vm-1/pid\0", false);
        check("", false);
    }

    #[test]
    fn another_process_is_not_taken_for_a_machines() {
        // The file has the pid of this live process, which is not a QEMU of ours.
        let directory = std::env::temp_dir().join(format!("qemu-pid-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let pid_file = directory.join("pid");
        fs::write(&pid_file, format!("{}\n", std::process::id())).unwrap();
        assert!(Process::of(&pid_file).unwrap().is_none());
        assert!(Process::all_of(&pid_file).unwrap().is_empty());
        fs::remove_dir_all(directory).unwrap();
    }
}
