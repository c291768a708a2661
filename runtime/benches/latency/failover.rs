//! Fail-over between processes: from the end of a leader to the first work of the next.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector};
use codegen_runtime::manager::shutdown_signal;
use embedded_apiserver::ApiServer;

pub(crate) const LEASE: Duration = Duration::from_secs(3);
pub(crate) const RENEW: Duration = Duration::from_secs(2);
pub(crate) const RETRY: Duration = Duration::from_millis(500);

/// Runs one contender: reports when it leads, and works until it is told to stop.
pub(crate) fn contend(url: &str, identity: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let config = kube::Config::new(url.parse().unwrap());
        let client = kube::Client::try_from(config).unwrap();
        let election =
            LeaderElectionConfig::new("default", "bench", identity).times(LEASE, RENEW, RETRY);
        let elector = LeaderElector::new(client, election).unwrap();
        let stop = shutdown_signal().unwrap();
        println!("contends");
        let lead = |leadership: codegen_runtime::leader::Leadership| async move {
            println!("leads");
            leadership.token().cancelled().await;
        };
        elector.run(&stop, lead).await;
    });
}

/// A contender, as seen by its parent.
struct Contender {
    process: Child,
    name: usize,
}

/// The reports of a contender, with their times.
struct Said {
    who: usize,
    leads: bool,
    at: Instant,
}

impl Contender {
    fn start(url: &str, name: usize, said: &Sender<Said>) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["contend", url, &format!("contender-{name}")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let said = said.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = said.send(Said {
                    who: name,
                    leads: line == "leads",
                    at: Instant::now(),
                });
            }
        });
        Self { process, name }
    }

    fn end(&mut self, kill: bool) {
        if kill {
            self.process.kill().unwrap();
        } else {
            let id = self.process.id().to_string();
            let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
            assert!(sent.success());
        }
    }
}

impl Drop for Contender {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until `who`, or anyone for `None`, leads (or contends), and returns when that was.
fn wait_for(said: &Receiver<Said>, who: Option<usize>, leads: bool) -> (usize, Instant) {
    loop {
        let said = said.recv_timeout(Duration::from_secs(60)).unwrap();
        if said.leads == leads && who.is_none_or(|who| who == said.who) {
            return (said.who, said.at);
        }
    }
}

/// Returns the times of `rounds` changes of leader.
pub(crate) fn measure(rounds: usize, kill: bool) -> Vec<Duration> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = runtime.block_on(async {
        let server = ApiServer::builder().build().unwrap();
        server.serve("127.0.0.1:0").await.unwrap()
    });
    let url = format!("http://{}", server.local_addr());
    let (sender, said) = channel();
    let mut leader = Contender::start(&url, 0, &sender);
    wait_for(&said, Some(0), true);
    let mut times = Vec::with_capacity(rounds);
    for round in 1..=rounds {
        let next = Contender::start(&url, round, &sender);
        wait_for(&said, Some(round), false);
        // The contender has started its watch and first read of the Lease, and the leader renews
        // meanwhile.
        std::thread::sleep(RETRY * 2);
        let ended = Instant::now();
        leader.end(kill);
        let (who, at) = wait_for(&said, None, true);
        assert_eq!(who, next.name);
        times.push(at - ended);
        leader = next;
    }
    times
}
