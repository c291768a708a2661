//! `kube-codegen markers`.

use crate::read::markers::{MarkerDef, REGISTRY};
use clap::Args;

use super::{Color, Failure, style};

/// List every marker: syntax, target, meaning, default.
#[derive(Debug, Args)]
pub(super) struct Markers {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Markers {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        if self.json {
            let json = serde_json::to_string_pretty(REGISTRY).unwrap_or_default();
            style::print(&(json + "\n"))
        } else {
            let entries: Vec<String> = REGISTRY.iter().map(describe).collect();
            style::print(&entries.join("\n"))
        }
    }
}

/// ```text
/// +genclient:onlyVerbs=<verb>,…
///     placed above a type
///     Restricts the client to these verbs.
///     default: all verbs
/// ```
fn describe(def: &MarkerDef) -> String {
    let targets: Vec<&str> = def
        .targets
        .iter()
        .map(|target| target.description())
        .collect();
    let place = if def.stands_anywhere() {
        "anywhere".to_owned()
    } else {
        targets.join(" or ")
    };
    let repeats = if def.repeats { "; may be repeated" } else { "" };
    let mut text = format!(
        "{}\n    placed {place}{repeats}\n    {}\n",
        def.syntax(),
        def.meaning
    );
    for argument in def
        .arguments
        .iter()
        .filter(|argument| !argument.name.is_empty())
    {
        let required = if argument.required { " (required)" } else { "" };
        text += &format!("      {}{required}: {}\n", argument.name, argument.meaning);
    }
    for alias in def.aliases {
        text += &format!("    also written: +{alias}\n");
    }
    if !def.default.is_empty() {
        text += &format!("    default: {}\n", def.default);
    }
    if !def.differs.is_empty() {
        text += &format!("    controller-gen: {}\n", def.differs);
    }
    text
}
