//! A temporary folder to run the command in, and the transcript of its output.

use std::{
    env,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use tempfile::TempDir;

/// A folder to run commands in, with a transcript.
pub(crate) struct Sandbox {
    dir: TempDir,
    /// The folder below `dir` that commands run in, and that paths are relative to.
    folder: &'static str,
    /// The folders that environment variables name.
    variables: Vec<(&'static str, PathBuf)>,
    log: String,
}

/// The manifest of a crate with the features that generated code needs.
const MANIFEST: &str = "[package]\nname = \"sample\"\n\n[dependencies]\ncodegen-runtime = \"0.1\"\nserde = \"1\"\nserde_json = \"1\"\n\n[features]\nfake = [\"codegen-runtime/fake\"]\n";

/// The outcome of a command.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Asserts that stderr contains `text`.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.stderr.contains(text), "{}", self.stderr);
    }
}

/// Returns the folder `testdata`.
pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata")
}

impl Sandbox {
    /// Creates an empty folder.
    pub(crate) fn new() -> Self {
        Self {
            dir: temporary(),
            folder: "",
            variables: Vec::new(),
            log: String::new(),
        }
    }

    /// Creates a crate with the annotated types of `testdata/apis/<case>` and a `lib.rs` that
    /// declares all modules. The types declare what `all` generates, which leaves out validation.
    pub(crate) fn with_apis(case: &str) -> Self {
        let sandbox = Self::new();
        let from = testdata().join("apis").join(case).join("src");
        copy(&from, &sandbox.path("src"));
        sandbox.without("mod zz_generated_validate;\n");
        sandbox.write("Cargo.toml", MANIFEST);
        sandbox.write("src/lib.rs", "pub mod apis;\npub mod generated;\n");
        sandbox
    }

    /// Removes a line from all files.
    fn without(&self, line: &str) {
        for (path, text, _) in self.state() {
            if text.contains(line) {
                fs::write(path, text.replace(line, "")).unwrap();
            }
        }
    }

    /// Changes the current folder.
    pub(crate) fn enter(&mut self, folder: &'static str) {
        self.folder = folder;
    }

    /// Sets an environment variable of commands to a folder of the sandbox.
    pub(crate) fn set(&mut self, variable: &'static str, folder: &str) {
        let folder = self.path(folder);
        self.variables.push((variable, folder));
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(self.folder).join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes `codegen.toml`.
    pub(crate) fn configure(&self, text: &str) {
        self.write("codegen.toml", text);
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replaces all occurrences of `from`, of which there must be at least one.
    pub(crate) fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{path}");
        self.write(path, &text.replace(from, to));
    }

    /// Returns every file with its contents and modification time.
    pub(crate) fn state(&self) -> Vec<(PathBuf, String, SystemTime)> {
        let mut state = Vec::new();
        collect(self.dir.path(), &mut state);
        state.sort();
        state
    }

    /// Runs the command, without adding it to the transcript.
    pub(crate) fn quiet(&self, arguments: &[&str]) -> Run {
        self.quiet_in(self.folder, arguments)
    }

    /// Runs the command and asserts that it succeeds, without adding it to the transcript.
    #[track_caller]
    pub(crate) fn succeeds(&self, arguments: &[&str]) {
        let run = self.quiet(arguments);
        assert_eq!(run.code, 0, "{arguments:?}: {}{}", run.stdout, run.stderr);
    }

    /// As [`Self::quiet`], in another folder of the sandbox.
    pub(crate) fn quiet_in(&self, folder: &str, arguments: &[&str]) -> Run {
        self.execute(folder, arguments, "")
    }

    /// As [`Self::quiet`], with `stdin` as standard input.
    pub(crate) fn quiet_with(&self, arguments: &[&str], stdin: &str) -> Run {
        self.execute(self.folder, arguments, stdin)
    }

    fn execute(&self, folder: &str, arguments: &[&str], stdin: &str) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kube-codegen"))
            .args(arguments)
            .current_dir(self.dir.path().join(folder))
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("COLUMNS")
            .env_remove("NO_COLOR")
            .envs(self.variables.iter().map(|(name, folder)| (name, folder)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that fails early may have closed the pipe.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the command, and adds it to the transcript.
    pub(crate) fn run(&mut self, arguments: &[&str]) -> Run {
        self.run_in(self.folder, arguments)
    }

    /// As [`Self::run`], in another folder of the sandbox.
    pub(crate) fn run_in(&mut self, folder: &str, arguments: &[&str]) -> Run {
        let run = self.quiet_in(folder, arguments);
        self.add(folder, arguments, run)
    }

    /// As [`Self::run`], with `stdin` as standard input.
    pub(crate) fn run_with(&mut self, arguments: &[&str], stdin: &str) -> Run {
        let run = self.quiet_with(arguments, stdin);
        self.add(self.folder, arguments, run)
    }

    fn add(&mut self, folder: &str, arguments: &[&str], run: Run) -> Run {
        // Notes of a program from a checkout name it.
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let checkout = checkout.display().to_string();
        let run = Run {
            stderr: run.stderr.replace(&checkout, "CHECKOUT"),
            ..run
        };
        let prompt = if folder.is_empty() {
            "$".to_owned()
        } else {
            format!("{folder} $")
        };
        writeln!(self.log, "{prompt} kube-codegen {}", shell(arguments)).unwrap();
        self.log.push_str(&run.stdout);
        for line in run.stderr.lines() {
            writeln!(self.log, "{}", format!("2> {line}").trim_end()).unwrap();
        }
        writeln!(self.log, "[exit {}]\n", run.code).unwrap();
        run
    }

    /// Adds a remark to the transcript, about changes between commands.
    pub(crate) fn note(&mut self, text: &str) {
        writeln!(self.log, "# {text}").unwrap();
    }

    /// Adds the paths of all files to the transcript.
    pub(crate) fn list(&mut self) {
        self.log.push_str("# files:\n");
        for (path, ..) in self.state() {
            let path = path.strip_prefix(self.dir.path()).unwrap();
            writeln!(self.log, "#   {}", path.display()).unwrap();
        }
        self.log.push('\n');
    }

    /// Compares the transcript with `testdata/cli/<name>.snap`. The transcript must not contain the
    /// path of the folder.
    pub(crate) fn check(self, name: &str) {
        let folder = self.dir.path().to_str().unwrap();
        assert!(!self.log.contains(folder), "{}", self.log);
        snapshot(name, &self.log);
    }
}

/// Compares `text` with `testdata/cli/<name>.snap`.
pub(crate) fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../../testdata/cli");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn shell(arguments: &[&str]) -> String {
    let quoted = arguments.iter().map(|argument| {
        if argument.contains(|c: char| c.is_whitespace() || c == '"') {
            format!("'{argument}'")
        } else {
            (*argument).to_owned()
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Creates a temporary folder: in `TMPDIR` if set, otherwise in memory where possible. On ext4 a
/// quarter of these tests' processor time is the creation of files, since it searches past every
/// inode that was freed in the last seconds.
fn temporary() -> TempDir {
    let in_memory = || match env::var_os("TMPDIR") {
        Some(_) => None,
        None => TempDir::new_in("/dev/shm").ok(),
    };
    in_memory().unwrap_or_else(|| TempDir::new().unwrap())
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn collect(folder: &Path, state: &mut Vec<(PathBuf, String, SystemTime)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, state);
        } else {
            let time = path.metadata().unwrap().modified().unwrap();
            state.push((path.clone(), fs::read_to_string(&path).unwrap(), time));
        }
    }
}
