//! `kube-codegen explain`.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;
use serde_json::Value;

use super::{Failure, inputs::configs, progress::Bar, style, style::Color};
use crate::{
    Compat, Manifests,
    diag::{Diagnostics, codes},
    emit::{api_docs::rust_path, fields::Field, manifests},
    model::{ApiSet, Group, Version},
    options::Manifest,
    suggest::closest,
};

/// Explain a kind or a field as `kubectl explain` does, without a cluster, or the code of an error.
///
/// Beside type and description it shows constraints, rules and the Rust type.
#[derive(Debug, Args)]
pub(super) struct Explain {
    /// A kind, its plural or a short name, and the properties that lead to a field:
    /// `vm.spec.resource.cpu`; or the code of an error: `K0101`.
    #[arg(value_name = "KIND[.FIELD…]|CODE")]
    path: String,
    /// CRD files, folders of CRDs or of annotated Rust (`<group>/<version>/*.rs`), crates, Go
    /// modules, a codegen.toml, or `-`; by default what codegen.toml declares.
    #[arg(value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// The group and version, or the version; by default the stored version.
    #[arg(long, value_name = "GROUP/VERSION")]
    api_version: Option<String>,
    /// Show the fields of fields, with types alone.
    #[arg(long)]
    recursive: bool,
    /// The codegen.toml to use.
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    config: Option<PathBuf>,
}

/// A kind in a version.
struct Subject<'a> {
    group: &'a Group,
    version: &'a Version,
    kind: &'a str,
    /// The Rust name of its type.
    root: &'a str,
    schema: Value,
}

impl Explain {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        if let Some(class) = codes::find(&self.path) {
            let (code, title) = (class.code, class.title);
            return style::print(&format!("{code}: {title}\n\n{}", class.explanation()));
        }
        let mut words = self.path.split('.');
        let kind = words.next().unwrap_or_default();
        let path: Vec<&str> = words.collect();
        let bar = Bar::default();
        // As for a reference: whole CRDs are read, and none is written.
        let options = Manifests {
            docs: Some("reference.html".to_owned()),
            floats: true,
            ..Manifests::default().only(Manifest::Docs)
        };
        let (mut sets, mut warnings) = (Vec::new(), Diagnostics::new());
        for config in configs(self.inputs, self.config)? {
            let config = config.manifests(".", options.clone());
            let read = config.emit([]).generated(&bar)?;
            sets.push(read.api);
            warnings.extend(read.warnings);
        }
        drop(bar);
        style::warn(&warnings, color);
        let mut names = Vec::new();
        for api in &sets {
            let version = self.api_version.as_deref();
            if let Some(subject) = find(api, kind, version, &options, &mut names)? {
                return style::print(&subject.explain(api, &path, self.recursive)?);
            }
        }
        Err(Failure::Usage(unknown(kind, &names)))
    }
}

/// What to write in place of a kind that does not exist.
fn unknown(kind: &str, names: &[String]) -> String {
    let near = closest(kind, names.iter().map(String::as_str));
    let help = match (near, names) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "there are no kinds".to_owned(),
        (None, names) => format!("the kinds are {}", names.join(", ")),
    };
    format!("no kind `{kind}`: {help}")
}

/// Finds a kind by any of its names; collects the kinds that there are.
fn find<'a>(
    api: &'a ApiSet,
    name: &str,
    wanted: Option<&str>,
    options: &Manifests,
    names: &mut Vec<String>,
) -> Result<Option<Subject<'a>>, Failure> {
    let all = api.versions().flat_map(|(group, version)| {
        let resources = version.resources.iter();
        resources.map(move |resource| (group, version, resource))
    });
    let (mut found, mut others) = (None, Vec::new());
    for (group, version, resource) in all {
        names.push(resource.kind.clone());
        let own = [&resource.kind, &resource.plural, &resource.singular];
        let mut own = own.into_iter().chain(&resource.short_names);
        if !own.any(|it| it.eq_ignore_ascii_case(name)) {
            continue;
        }
        let api_version = format!("{}/{}", group.name, version.name);
        if wanted.is_none_or(|it| it == version.name || it == api_version) {
            if found.is_none() || resource.storage {
                found = Some((group, version, resource));
            }
        } else {
            others.push(api_version);
        }
    }
    names.dedup();
    let Some((group, version, resource)) = found else {
        let Some(wanted) = wanted.filter(|_| !others.is_empty()) else {
            return Ok(None);
        };
        let message = format!(
            "`{name}` has no version `{wanted}`: it has {}",
            others.join(", ")
        );
        return Err(Failure::Usage(message));
    };
    let crds = manifests::crds(api, options, Compat::default());
    let crds = crds.map_err(crate::config::Error::Input)?;
    let crd = crds
        .into_iter()
        .find(|(of, plural, _)| (of, plural) == (&group.name, &resource.plural));
    let versions = crd.and_then(|(.., crd)| crd["spec"]["versions"].as_array().cloned());
    let own = versions
        .into_iter()
        .flatten()
        .find(|it| it["name"] == *version.name);
    Ok(own.map(|mut it| Subject {
        group,
        version,
        kind: &resource.kind,
        root: &resource.root,
        schema: it["schema"]["openAPIV3Schema"].take(),
    }))
}

impl Subject<'_> {
    fn explain(&self, api: &ApiSet, path: &[&str], recursive: bool) -> Result<String, Failure> {
        let root = Field::of_kind(self.kind, &self.schema);
        let field = root.at(path).map_err(|(name, within)| {
            let names = within.fields.iter().map(|it| it.name.as_str());
            let of = match within.path.as_str() {
                "" => self.kind,
                path => path,
            };
            let help = match (closest(&name, names.clone()), within.fields.as_slice()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, []) => format!("{of} has no fields"),
                (None, _) => format!("its fields are {}", names.collect::<Vec<_>>().join(", ")),
            };
            Failure::Usage(format!("no field `{name}` in {of}: {help}"))
        })?;
        let mut text = format!(
            "GROUP:      {}\nKIND:       {}\nVERSION:    {}\n\n",
            self.group.name, self.kind, self.version.name
        );
        if !path.is_empty() {
            let _ = writeln!(text, "FIELD: {}\n", head(field));
        }
        if let Some(rust) = rust_path(api, self.version, self.root, path) {
            let _ = writeln!(text, "RUST: {rust}\n");
        }
        text.push_str("DESCRIPTION:\n");
        let described = if field.description.is_empty() {
            "<empty>"
        } else {
            &field.description
        };
        text.push_str(&indented(described, 4));
        if !field.demands.is_empty() {
            text.push_str("\nCONSTRAINTS:\n");
            text.push_str(&demands(field, 2));
        }
        if !field.fields.is_empty() {
            text.push_str("\nFIELDS:\n");
            fields(field, 2, recursive, &mut text);
        }
        Ok(text)
    }
}

fn fields(of: &Field, depth: usize, recursive: bool, text: &mut String) {
    for field in &of.fields {
        let _ = writeln!(text, "{:depth$}{}", "", head(field));
        if recursive {
            fields(field, depth + 2, recursive, text);
            continue;
        }
        text.push_str(&indented(&field.description, depth + 2));
        text.push_str(&demands(field, depth + 2));
        text.push('\n');
    }
}

fn head(field: &Field) -> String {
    let required = if field.required { " -required-" } else { "" };
    format!("{}\t<{}>{required}", field.name, field.ty)
}

fn demands(field: &Field, depth: usize) -> String {
    let lines = field.demands.iter().map(|it| {
        let note = if it.note.is_empty() {
            String::new()
        } else {
            format!(" ({})", it.note)
        };
        let line = format!("- {} {}", it.label, it.value);
        indented(&format!("{}{note}", line.trim_end()), depth)
    });
    lines.collect()
}

/// Wraps text at 80 characters, indented; paragraphs stay.
fn indented(text: &str, depth: usize) -> String {
    let width = 80_usize.saturating_sub(depth);
    let mut out = String::new();
    for line in text.lines() {
        let mut length = 0;
        for word in line.split_whitespace() {
            let chars = word.chars().count();
            if length > 0 && length + 1 + chars > width {
                out.push('\n');
                length = 0;
            }
            if length == 0 {
                out.extend(std::iter::repeat_n(' ', depth));
            } else {
                out.push(' ');
                length += 1;
            }
            out.push_str(word);
            length += chars;
        }
        out.push('\n');
    }
    out
}
