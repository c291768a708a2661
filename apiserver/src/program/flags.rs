//! Flags in the styles of Go: `--name=value`, `--name value`, and with one dash.

use std::fmt::Write as _;
use std::io::Write;

/// What a flag does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// What it does in the real program.
    Same,
    /// Nothing, and nobody notices.
    None,
}

/// A flag that a program knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) effect: Effect,
    pub(super) help: &'static str,
}

/// A row of a program's table of flags.
pub(super) const fn flag(name: &'static str, effect: Effect, help: &'static str) -> Flag {
    Flag { name, effect, help }
}

/// The flags that a program was given, in their order.
#[derive(Debug, Default)]
pub(super) struct Given(Vec<(String, String)>);

impl Given {
    /// Reads arguments. A flag without a value is `true`. Flags that the program does not know, and
    /// arguments that are none, are warned about.
    pub(super) fn read(arguments: &[String], known: &[Flag]) -> Self {
        let mut given = Self::default();
        let mut arguments = arguments.iter().peekable();
        while let Some(argument) = arguments.next() {
            let bare = argument.trim_start_matches('-');
            if bare.len() == argument.len() || bare.is_empty() {
                warn(&format!(
                    "the argument {argument:?} is ignored: it is no flag"
                ));
                continue;
            }
            let (name, value) = match bare.split_once('=') {
                Some((name, value)) => (name, value.to_owned()),
                None => {
                    let value = arguments.next_if(|next| !next.starts_with('-'));
                    (bare, value.cloned().unwrap_or_else(|| "true".to_owned()))
                }
            };
            if !known.iter().any(|flag| flag.name == name) {
                warn(&format!("the flag --{name} is ignored"));
            }
            given.0.push((name.to_owned(), value));
        }
        given
    }

    /// Returns the last value of a flag, unless it is empty.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        let values = self.0.iter().filter(|(own, _)| own == name);
        values
            .map(|(_, value)| value.as_str())
            .next_back()
            .filter(|value| !value.is_empty())
    }

    /// Returns the values of a flag that takes a list and may be repeated.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let values = self.0.iter().filter(|(own, _)| own == name);
        values
            .flat_map(|(_, value)| value.split(','))
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .collect()
    }

    /// Whether the program was only asked for its help or version, which is then printed.
    ///
    /// # Errors
    /// If standard output is closed.
    pub(super) fn answers(
        &self,
        known: &[Flag],
        about: &str,
        version: &str,
    ) -> anyhow::Result<bool> {
        let text = if self.last("help").is_some() || self.last("h").is_some() {
            help(known, about)
        } else if self.last("version").is_some() {
            format!("{version}\n")
        } else {
            return Ok(false);
        };
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(true)
    }
}

/// Returns the help. Each flag starts a line, where envtest looks for it.
fn help(known: &[Flag], about: &str) -> String {
    let mut text = format!("{about}\n\nFlags:\n");
    for flag in known {
        let note = match flag.effect {
            Effect::Same => "",
            Effect::None => " (without effect)",
        };
        // A string takes whatever is written to it.
        let _ = writeln!(text, "      --{}  {}{note}", flag.name, flag.help);
    }
    text
}

/// Prints a warning to standard error.
pub(super) fn warn(text: &str) {
    // Nobody may be reading.
    drop(writeln!(std::io::stderr(), "warning: {text}"));
}
