//! Compiles the crates of all projects in one run of cargo, and runs their programs.

use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Instant,
};

use crate::Result;

/// The environment variable with the file to append compile times to. Set when cargo runs this
/// program as a wrapper of rustc.
const TIMES: &str = "CORPUS_TIMES";

/// Compiles the crates of a workspace, skipping those that fail. Returns the seconds of each, and
/// the folder of the programs.
pub(crate) fn compile(
    workspace: &Path,
    target: &Path,
    names: &[&str],
) -> Result<(BTreeMap<String, f64>, PathBuf)> {
    let programs = target.join("debug");
    for name in names {
        let program = programs.join(name);
        if program.exists() {
            fs::remove_file(program)?;
        }
    }
    let times = workspace.join("seconds.tsv");
    fs::write(&times, "")?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args([
            "build",
            "--quiet",
            "--keep-going",
            "--workspace",
            "--manifest-path",
        ])
        .arg(workspace.join("Cargo.toml"));
    cargo
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTC_WRAPPER", env::current_exe()?)
        .env(TIMES, &times);
    // A failure shows as a missing program.
    cargo.status()?;
    let mut seconds: BTreeMap<String, f64> = BTreeMap::new();
    for line in fs::read_to_string(&times).unwrap_or_default().lines() {
        let mut columns = line.split('\t');
        if let (Some(name), Some(time)) = (
            columns.next(),
            columns.next().and_then(|time| time.parse::<f64>().ok()),
        ) {
            *seconds.entry(name.to_owned()).or_default() += time;
        }
    }
    Ok((seconds, programs))
}

/// Runs rustc for cargo and records its time. Returns `None` if this process is not a wrapper of
/// rustc.
pub(crate) fn as_rustc() -> Option<Result<ExitCode>> {
    let times = env::var_os(TIMES)?;
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    Some(timed(&times, &arguments))
}

fn timed(times: &OsString, arguments: &[OsString]) -> Result<ExitCode> {
    let (rustc, arguments) = arguments
        .split_first()
        .ok_or("expected the path of rustc as the first argument")?;
    let start = Instant::now();
    let status = Command::new(rustc).args(arguments).status()?;
    let name = arguments
        .iter()
        .skip_while(|argument| *argument != "--crate-name")
        .nth(1);
    if let Some(name) = name.and_then(|name| name.to_str()) {
        let line = format!("{name}\t{:.3}\n", start.elapsed().as_secs_f64());
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(times)?
            .write_all(line.as_bytes())?;
    }
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The number of objects that round-tripped unchanged through the types of a project, and messages
/// about the others.
#[derive(Default)]
pub(crate) struct Sent {
    pub(crate) samples: usize,
    pub(crate) made_up: usize,
    pub(crate) wrong: Vec<String>,
}

/// Runs the program of a project. Returns `None` if it did not compile.
pub(crate) fn run(program: &Path) -> Result<Option<Sent>> {
    if !program.exists() {
        return Ok(None);
    }
    let output = Command::new(program).output()?;
    let mut sent = Sent::default();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if line.contains(" samples passed, ") {
            sent.samples = first(line);
        } else if line.contains(" made-up objects passed, ") {
            sent.made_up = first(line);
        } else {
            sent.wrong.push(line.to_owned());
        }
    }
    if !output.status.success() && sent.wrong.is_empty() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        sent.wrong.push(format!(
            "{}: {}",
            output.status,
            stderr.lines().next_back().unwrap_or_default()
        ));
    }
    Ok(Some(sent))
}

fn first(line: &str) -> usize {
    line.split(' ')
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or_default()
}
