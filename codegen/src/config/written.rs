//! The `codegen.toml` of a crate: the configuration of a command, for later runs of `generate`.

use std::{fmt::Write as _, path::Path};

use toml::Value;

use super::{
    Config,
    inputs::CrdInput,
    layout::{normalize, relative_to, whole},
    names::NamesFile,
};
use crate::options::{Faulty, MapType, Options, Visibility};

/// The first lines of the file.
const HEAD: &str = "\
# What `kube-codegen generate` generates for this crate. The reference is docs/codegen-toml.md of kube-codegen.
[[crate]]
";

impl Config {
    /// The `codegen.toml` in `folder` that configures the same generation from CRDs, with output to `src` there. `None` if the CRDs come
    /// from standard input, which a later run cannot read.
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
        self.write_filters(&mut lines);
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
        let (options, default) = (&self.options, Options::default());
        let emit: Vec<&str> = options.emit.iter().map(|one| one.name()).collect();
        lines.add(
            "emit",
            texts(&emit).filter(|_| options.emit != default.emit),
        );
        let runtime = text(&options.runtime_path);
        let is_own = options.runtime_path != default.runtime_path;
        lines.add("runtime-path", is_own.then_some(runtime));
        let k8s_openapi = options.k8s_openapi_path.as_deref();
        lines.add("k8s-openapi-path", k8s_openapi.map(text));
        lines.flag("schemars", options.schemars);
        lines.flag("group-features", options.group_features);
        lines.flag("kind-features", options.kind_features);
        lines.flag("aliases", options.aliases);
        let types = options.kubernetes_types;
        let is_own = types != default.kubernetes_types;
        lines.add("kubernetes-types", is_own.then(|| text(types.word())));
        let version = options
            .kubernetes_version
            .map(|version| text(&version.to_string()));
        lines.add("kubernetes-version", version);
        lines.flag("builders", options.types.builders);
        let boxed: Vec<&str> = options.types.boxed.iter().map(String::as_str).collect();
        lines.add("boxed", texts(&boxed));
        let is_hash = options.types.map_type == MapType::Hash;
        lines.add("map-type", is_hash.then(|| text("hash")));
        let is_crate = options.types.visibility == Visibility::Crate;
        lines.add("visibility", is_crate.then(|| text("crate")));
        if !options.renames.is_empty() {
            lines.write("[crate.renames]\n");
            for (path, name) in &options.renames {
                lines.add(&text(path).to_string(), Some(text(name)));
            }
        }
    }

    /// Writes which CRDs are kept.
    fn write_filters(&self, lines: &mut Lines) {
        let filters = &self.options.filters;
        lines.add("groups", texts(&filters.groups));
        lines.add("versions", texts(&filters.versions));
        lines.add("kinds", texts(&filters.kinds));
        lines.flag("all-versions", filters.unserved);
        lines.flag("storage-version-only", filters.stored_only);
        lines.flag("keep-going", self.options.faulty == Faulty::Skipped);
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

    fn flag(&mut self, key: &str, is_on: bool) {
        self.add(key, is_on.then_some(Value::Boolean(true)));
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
