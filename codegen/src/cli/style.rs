//! Output of the command, and its colors.

use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;
use codegen::Diagnostics;

use super::Failure;

/// When to use colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether what goes to stderr is colored.
    pub(super) fn stderr(self) -> bool {
        self.on(io::stderr().is_terminal())
    }

    /// Whether what goes to stdout is colored.
    pub(super) fn stdout(self) -> bool {
        self.on(io::stdout().is_terminal())
    }

    fn on(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                terminal && !refused && !dumb
            }
        }
    }
}

/// The diagnostics as text.
pub(super) fn render(diagnostics: &Diagnostics, color: Color) -> String {
    diagnostics.render(color.stderr())
}

/// Prints warnings to stderr; they change nothing about how the command ends.
pub(super) fn warn(warnings: &Diagnostics, color: Color) {
    if !warnings.as_slice().is_empty() {
        eprint(&render(warnings, color));
    }
}

/// An error without a place.
pub(super) fn error(message: &str, color: Color) -> String {
    format!("{} {message}\n", paint("error:", "1;31", color.stderr()))
}

/// A note that is not an error.
pub(super) fn note(message: &str, color: Color) -> String {
    format!("{} {message}\n", paint("note:", "1;36", color.stderr()))
}

/// A unified diff, colored line by line.
pub(super) fn diff(text: &str, color: Color) -> String {
    if !color.stdout() {
        return text.to_owned();
    }
    text.lines()
        .map(|line| {
            let code = match line.as_bytes().first() {
                _ if line.starts_with("+++") || line.starts_with("---") => "1",
                Some(b'+') => "32",
                Some(b'-') => "31",
                Some(b'@') => "36",
                _ => "",
            };
            paint(line, code, true) + "\n"
        })
        .collect()
}

fn paint(text: &str, code: &str, on: bool) -> String {
    if on && !code.is_empty() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

/// Prints to stdout. A reader that has gone away (`| head`) is not a failure.
///
/// # Errors
///
/// [`Failure::Output`] for any other reason why the text does not arrive, such as a full disk.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    output(written)
}

/// How writing to stdout ended, save for a reader that has gone away.
pub(super) fn output(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Prints to stderr. If that fails, the exit code is all that is left to tell.
pub(super) fn eprint(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// `1 file`, `2 files`.
pub(super) fn count(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}
