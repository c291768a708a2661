//! Output of the command, and its colors.

use std::io::{self, IsTerminal, Write as _};

use crate::{Diagnostics, diag::Style};
use clap::ValueEnum;

use super::Failure;

/// When to use colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// The style of output to stderr.
    pub(super) fn stderr(self) -> Style {
        self.of(&io::stderr())
    }

    /// The style of output to stdout.
    pub(super) fn stdout(self) -> Style {
        self.of(&io::stdout())
    }

    fn of(self, stream: &impl IsTerminal) -> Style {
        match self {
            Self::Always => Style::Colored,
            Self::Auto if stream.is_terminal() && !is_color_refused() => Style::Colored,
            Self::Auto | Self::Never => Style::Plain,
        }
    }
}

/// Whether the environment disables colors: `NO_COLOR`, or a terminal without them.
fn is_color_refused() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    refused || std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Formats diagnostics.
pub(super) fn render(diagnostics: &Diagnostics, color: Color) -> String {
    diagnostics.render(color.stderr())
}

/// Prints warnings to stderr; they do not affect the exit code.
pub(super) fn warn(warnings: &Diagnostics, color: Color) {
    if !warnings.as_slice().is_empty() {
        eprint(&render(warnings, color));
    }
}

/// Formats an error without a position.
pub(super) fn error(message: &str, color: Color) -> String {
    format!("{} {message}\n", paint("error:", "1;31", color.stderr()))
}

/// Formats a note that is not an error.
pub(super) fn note(message: &str, color: Color) -> String {
    format!("{} {message}\n", paint("note:", "1;36", color.stderr()))
}

/// Colors a unified diff, line by line.
pub(super) fn diff(text: &str, color: Color) -> String {
    let style = color.stdout();
    if style == Style::Plain {
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
            paint(line, code, style) + "\n"
        })
        .collect()
}

/// Colors text with an ANSI code; an empty code leaves it plain.
fn paint(text: &str, code: &str, style: Style) -> String {
    match style {
        Style::Colored if !code.is_empty() => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        Style::Colored | Style::Plain => text.to_owned(),
    }
}

/// Prints to stdout. It is not an error if the reader is gone (`| head`).
///
/// # Errors
///
/// [`Failure::Output`] if writing fails for another reason, such as a full disk.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    output(written)
}

/// The result of writing to stdout, ignoring that the reader is gone.
pub(super) fn output(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Prints to stderr. If that fails, only the exit code reports the failure.
pub(super) fn eprint(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// `1 file`, `2 files`.
pub(super) fn count(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}
