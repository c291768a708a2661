//! Runs a controller's binary as a process.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Client, Config};
use parking_lot::Mutex;
use tempfile::TempDir;

use crate::cluster::{PATIENCE, eventually};

/// A process in a temporary folder, killed on drop.
pub struct Program {
    child: Child,
    lines: Arc<Mutex<Vec<String>>>,
    /// Threads that collect the output; they end with it.
    readers: Vec<JoinHandle<()>>,
    folder: TempDir,
}

impl Program {
    /// Starts `binary`; pass `env!("CARGO_BIN_EXE_…")`. Appends `--kubeconfig FILE` to `args`; the
    /// file contains `kubeconfig`, or does not exist yet if that is `None`.
    pub fn start(binary: &str, kubeconfig: Option<String>, args: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kubeconfig");
        if let Some(text) = kubeconfig {
            std::fs::write(&path, text).unwrap();
        }
        let mut command = Command::new(binary);
        command.args(args).arg("--kubeconfig").arg(&path);
        command.env_remove("KUBECONFIG").current_dir(folder.path());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let readers = vec![
            collect(child.stdout.take().unwrap(), Arc::clone(&lines)),
            collect(child.stderr.take().unwrap(), Arc::clone(&lines)),
        ];
        Self {
            child,
            lines,
            readers,
            folder,
        }
    }

    /// Starts `binary demo` on a free port, and waits until it serves.
    pub async fn demo(binary: &str) -> Self {
        let program = Self::start(binary, None, &["demo", "--listen=127.0.0.1:0"]);
        program.until_line("Ctrl-C ends it.").await;
        program
    }

    /// The path passed as `--kubeconfig`.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    /// Returns a client for the cluster of the kubeconfig.
    pub async fn client(&self) -> Client {
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig()).unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        ClientOptions::new().connect(config.unwrap()).unwrap()
    }

    /// Returns the lines of stdout and stderr so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }

    /// Waits until a line contains `text`.
    pub async fn until_line(&self, text: &str) {
        let is_there = async || self.lines.lock().iter().any(|line| line.contains(text));
        assert!(eventually(is_there).await, "{text}: {:#?}", self.lines());
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Whether the process is still running.
    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until the process ends; returns its status and output.
    pub async fn end(mut self) -> (ExitStatus, Vec<String>) {
        let wait = async {
            loop {
                if let Some(status) = self.child.try_wait().unwrap() {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let Ok(status) = tokio::time::timeout(PATIENCE, wait).await else {
            panic!("the process is still running: {:#?}", self.lines());
        };
        for reader in self.readers.drain(..) {
            reader.join().unwrap();
        }
        (status, self.lines())
    }
}

fn collect(output: impl Read + Send + 'static, lines: Arc<Mutex<Vec<String>>>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            lines.lock().push(line);
        }
    })
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("pid", &self.child.id())
            .field("lines", &self.lines())
            .finish_non_exhaustive()
    }
}
