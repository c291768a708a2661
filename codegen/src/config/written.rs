//! The `codegen.toml` of a crate: the configuration of a command, for later runs of `generate`.

use std::{fmt::Write as _, path::Path};

use toml::Value;

use super::{
    Config,
    inputs::CrdInput,
    keys::Section,
    layout::{normalize, relative_to, whole},
    names::NamesFile,
};
use crate::options::{Options, rows};

/// The first lines of the file.
const HEAD: &str = "\
# What `kube-codegen generate` generates for this crate. The reference is docs/codegen-toml.md of kube-codegen.
[[crate]]
";

impl Config {
    /// The `codegen.toml` in `folder` that configures the same generation from CRDs, with output to
    /// `src` there. `None` if the CRDs come from standard input, which a later run cannot read.
    #[must_use]
    pub fn toml(&self, folder: &Path) -> Option<String> {
        let path = |path: &Path| text(&relative(path, folder));
        let files = self.crds.iter().map(|input| match input {
            CrdInput::Path(file) => Some(path(file)),
            CrdInput::Stdin => None,
        });
        let files: Vec<Value> = files.collect::<Option<_>>()?;
        let names_file = match &self.names_file {
            NamesFile::InOutput => None,
            NamesFile::At(file) => Some(path(file)),
            NamesFile::Nowhere => Some(text("")),
        };
        let mut lines = Lines(HEAD.to_owned());
        lines.add("header-file", self.header_file.as_deref().map(path));
        lines.add("names-file", names_file);
        self.write_code(&mut lines);
        lines.write("[crate.crd]\n");
        lines.add("files", Some(Value::Array(files)));
        for (key, value) in self.own_options(Section::Crd) {
            lines.add(key, Some(value));
        }
        for attributes in &self.options.types.attributes {
            lines.write("[[crate.attributes]]\n");
            lines.add("types", Some(text(attributes.types.as_str())));
            lines.add("derives", texts(&attributes.derives));
            lines.add("attributes", texts(&attributes.attributes));
        }
        Some(lines.0)
    }

    /// Writes the options of generated code that differ from the defaults.
    fn write_code(&self, lines: &mut Lines) {
        let emit: Vec<&str> = self.options.emit.iter().map(|one| one.name()).collect();
        let is_own = self.options.emit != Options::default().emit;
        lines.add("emit", texts(&emit).filter(|_| is_own));
        let own = self.own_options(Section::Crate);
        let (maps, values): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|(_, value)| value.is_table());
        for (key, value) in values {
            lines.add(key, Some(value));
        }
        for (key, entries) in maps {
            lines.write(&format!("[crate.{key}]\n"));
            for (key, value) in entries.as_table().into_iter().flatten() {
                lines.add(&text(key).to_string(), Some(value.clone()));
            }
        }
    }

    /// The options of a section that differ from the defaults.
    fn own_options(&self, section: Section) -> Vec<(&'static str, Value)> {
        let (mut options, mut default) = (self.options.clone(), Options::default());
        let rows = rows().filter(|row| row.def.sections.contains(&section));
        let own = rows.filter_map(|row| {
            let value = (row.field)(&mut options).toml()?;
            let is_own = (row.field)(&mut default).toml().as_ref() != Some(&value);
            is_own.then_some((row.def.name, value))
        });
        own.collect()
    }
}

/// The lines of the file.
struct Lines(String);

impl Lines {
    fn write(&mut self, line: &str) {
        self.0.push_str(line);
    }

    /// Adds a key, if it has a value.
    fn add(&mut self, key: &str, value: Option<Value>) {
        if let Some(value) = value {
            // Writing into a String cannot fail.
            let _ = writeln!(self.0, "{key} = {value}");
        }
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// A list, unless it is empty.
fn texts(texts: &[impl AsRef<str>]) -> Option<Value> {
    let values = texts.iter().map(|one| text(one.as_ref()));
    let values: Vec<Value> = values.collect();
    (!values.is_empty()).then_some(Value::Array(values))
}

/// The path from a folder to another path; absolute if they have nothing in common.
fn relative(path: &Path, folder: &Path) -> String {
    let (path, folder) = (normalize(&whole(path)), normalize(&whole(folder)));
    let relative = relative_to(&path, &folder).unwrap_or(path);
    relative.to_string_lossy().replace('\\', "/")
}
