//! Renders the markers reference page from the table.

use super::{MarkerDef, PARTS, Target};

/// The headings of the table's parts, in order.
const HEADINGS: [&str; PARTS.len()] = [
    "Clients",
    "Groups and versions",
    "API objects",
    "CustomResourceDefinitions",
    "Roles",
    "Webhooks",
    "Fields",
    "Validation and schemas",
    "Conversion",
    "Other Kubernetes generators",
];

/// Renders all markers as a Markdown page.
#[must_use]
pub fn reference_page() -> String {
    let mut page = "# Markers\n\n\
        Comments `// +name`, `// +name=value` or `// +name:argument=value,…`, in Rust and in Go alike. `kube-codegen markers` \
        prints the same facts.\n\n\
        A string is bare, in double quotes or in backticks; a list is `a;b` or `{a,b}`. In Rust, unknown, misplaced \
        and contradictory markers are errors; in Go, markers of other tools are ignored.\n"
        .to_owned();
    for (heading, part) in HEADINGS.iter().zip(PARTS) {
        page += &format!("\n## {heading}\n\n");
        page += "| marker | place | effect | default |\n|---|---|---|---|\n";
        for def in part {
            page += &row(def);
        }
        for def in part.iter().filter(|def| has_names(def)) {
            page += &arguments(def);
        }
    }
    page += &differences();
    page
}

fn has_names(def: &MarkerDef) -> bool {
    def.arguments
        .iter()
        .any(|argument| !argument.name.is_empty())
}

/// Escapes a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn row(def: &MarkerDef) -> String {
    let mut places: Vec<&str> = def.targets.iter().map(|it| it.description()).collect();
    if def.stands_anywhere() {
        places = vec![Target::File.description()];
    }
    let mut effect = cell(def.meaning);
    if !effect.ends_with('.') {
        effect.push('.');
    }
    if def.repeats {
        effect += " May be repeated.";
    }
    for alias in def.aliases {
        effect += &format!(" Also written `+{alias}`.");
    }
    format!(
        "| `{}` | {} | {effect} | {} |\n",
        cell(&def.syntax()),
        places.join(", "),
        cell(def.default)
    )
}

/// Renders the arguments of a marker as a list.
fn arguments(def: &MarkerDef) -> String {
    let mut text = format!("\n`+{}`:\n\n", def.name);
    for argument in def.arguments.iter().filter(|it| !it.name.is_empty()) {
        let required = if argument.required { ", required" } else { "" };
        text += &format!("- `{}`{required}: {}\n", argument.name, argument.meaning);
    }
    text
}

/// Renders the differences from controller-gen, by marker.
fn differences() -> String {
    let mut text = "\n## Differences from controller-gen\n\n\
        It ignores unknown and misplaced markers; here they are errors. `compat = \"controller-gen\"` in \
        `[crate.manifests]` reproduces its output byte for byte; input that no API server accepts remains an error.\n\n\
        | marker | controller-gen |\n|---|---|\n"
        .to_owned();
    for def in PARTS.iter().copied().flatten() {
        if !def.differs.is_empty() {
            text += &format!("| `+{}` | {} |\n", def.name, cell(def.differs));
        }
    }
    text
}
