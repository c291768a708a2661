//! The processes, their signals, and their memory.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::chaos::roles;

/// The timing of leader election: lease duration, renew deadline, retry period.
pub const TIMES: [&str; 3] = ["3s", "2s", "500ms"];

/// A process that is restarted when it has ended.
pub struct Process {
    pub name: String,
    command: Box<dyn Fn() -> Command + Send>,
    child: Child,
    pub starts: u32,
}

impl Process {
    fn new(name: &str, command: impl Fn() -> Command + Send + 'static) -> Self {
        let child = command().spawn().unwrap();
        Self {
            name: name.to_owned(),
            command: Box::new(command),
            child,
            starts: 1,
        }
    }

    pub fn signal(&self, signal: &str) {
        let pid = self.child.id();
        // The shell's built-in kill, since not every machine has another. A process that has just
        // ended is ignored.
        let status = Command::new("sh")
            .args(["-c", &format!("kill -{signal} {pid} 2>/dev/null || true")])
            .status();
        assert!(status.unwrap().success());
    }

    pub fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// Restarts the process if it has ended. A controller may exit with status 1 after losing
    /// leadership; any other exit fails the test.
    pub fn revive(&mut self) {
        if let Some(status) = self.child.try_wait().unwrap() {
            let is_right = status.code().is_none_or(|code| code <= 1);
            assert!(is_right, "{} ended: {status}", self.name);
            self.child = (self.command)().spawn().unwrap();
            self.starts += 1;
        }
    }

    /// Returns the resident memory, in bytes.
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
        let kilobytes =
            line.and_then(|it| it.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a free port on loopback.
pub fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
}

/// Runs this binary as the process `role`.
fn role(role: &str, log: &Path, settings: Vec<(&'static str, String)>) -> Process {
    let (test, log) = (format!("chaos::roles::{role}"), log.to_owned());
    Process::new(role, move || {
        let log = append(&log);
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &test, "--ignored", "--nocapture"])
            .envs(settings.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        command
    })
}

fn append(path: &Path) -> fs::File {
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true).open(path).unwrap()
}

pub fn api_server(folder: &Path, listen: SocketAddr) -> Process {
    let settings = vec![(roles::LISTEN, listen.to_string())];
    role("api_server", &folder.join("api_server.log"), settings)
}

pub fn proxy(folder: &Path, listen: SocketAddr, target: SocketAddr) -> Process {
    let settings = vec![
        (roles::LISTEN, listen.to_string()),
        (roles::TARGET, target.to_string()),
    ];
    role("proxy", &folder.join("proxy.log"), settings)
}

/// Runs a controller of the machines in `servers` that connects through the proxy.
pub fn controller(folder: &Path, name: &str, proxy: SocketAddr) -> Process {
    let (folder, identity): (PathBuf, String) = (folder.to_owned(), name.to_owned());
    Process::new(name, move || {
        let [lease, renew, retry] = TIMES;
        let mut command = Command::new(env!("CARGO_BIN_EXE_virtualmachine-controller"));
        command
            .args(["--master", &format!("http://{proxy}")])
            .args(["--holder-identity", &identity, "--threads", "8"])
            .args(["--lease-duration", lease, "--renew-deadline", renew])
            .args(["--retry-period", retry, "--resync-period", "5s"])
            .args(["--simulated-faults", "0.05", "--remove-orphans-after", "3s"])
            .arg("--simulated-dir")
            .arg(folder.join("servers"))
            // Never use the user's cluster.
            .env("KUBECONFIG", "/nonexistent")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(append(&folder.join(format!("{identity}.log"))));
        command
    })
}

/// Waits until the address accepts connections.
pub async fn until_listening(address: SocketAddr) {
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{address} does not accept connections"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
