//! Finds schemas that the API server rejects, by its own checks: structural rules, patterns, defaults and CEL rules.
//!
//! The checks run only if CRDs are written or objects are validated: types do not depend on them.

#[cfg(feature = "cel")]
use kube_schema::{FieldError, Structural};

use super::{Schema, fields::Reader};
use crate::{
    diag::{Diagnostic, Severity},
    options::Options,
    read::yaml::Node,
};
#[cfg(feature = "cel")]
use crate::{
    options::Compat,
    read::yaml::{self, Yaml},
};

/// How to skip the check.
#[cfg(feature = "cel")]
const UNCHECKED: &str = "fix it, or skip the check with `--compat controller-gen` or `compat = \"controller-gen\"` in codegen.toml";

impl Reader<'_> {
    /// Reads the schema of a version; if that finds no error, also reports what the API server would reject.
    pub(super) fn read_checked_schema(&mut self, node: &mut Node, options: &Options) -> Schema {
        // Check first: reading moves strings out of the node.
        let refused = self.refused(node, options);
        let before = self.diagnostics.as_slice().len();
        let schema = self.read_schema(node);
        let mut found = self.diagnostics.as_slice()[before..].iter();
        if found.all(|finding| finding.severity == Severity::Warning) {
            for finding in refused {
                self.diagnostics.push(finding);
            }
        }
        schema
    }

    /// Returns the API server's errors for a schema, located at the nodes they refer to.
    #[cfg(feature = "cel")]
    fn refused(&self, schema: &Node, options: &Options) -> Vec<Diagnostic> {
        if !options.writes_crds() || options.compat != Compat::Strict {
            return Vec::new();
        }
        let json = schema.to_json();
        let errors = match Structural::compile_at(&self.path, &json) {
            Ok(_) => Structural::check_rules(&self.path, &json),
            Err(errors) => errors,
        };
        errors
            .iter()
            .map(|error| self.worded(error, schema))
            .collect()
    }

    #[cfg(not(feature = "cel"))]
    fn refused(&self, _: &Node, _: &Options) -> Vec<Diagnostic> {
        Vec::new()
    }

    #[cfg(feature = "cel")]
    fn worded(&self, error: &FieldError, schema: &Node) -> Diagnostic {
        let below = error.field.strip_prefix(self.path.as_str()).unwrap_or("");
        let node = found(schema, below);
        Diagnostic::error(format!(
            "the API server refuses the schema: {}",
            error.body()
        ))
        .at(yaml::place(self.source, node.range.clone()), "")
        .note(format!("at {}", error.field))
        .help(UNCHECKED)
    }
}

/// Returns the node at a path such as `.properties[spec].pattern`, or its nearest existing ancestor.
#[cfg(feature = "cel")]
fn found<'n>(node: &'n Node, path: &str) -> &'n Node {
    let below = |name: &str, rest: &str| {
        let rest = rest.strip_prefix(name)?;
        let ends = rest.is_empty() || rest.starts_with(['.', '[']);
        ends.then_some(rest.len())
    };
    let mut next: Option<(usize, &Node)> = None;
    let mut step = |rest: Option<usize>, node: &'n Node| {
        // Take the longest matching name: names may contain dots and brackets.
        if let Some(rest) = rest
            && next.is_none_or(|(least, _)| rest < least)
        {
            next = Some((rest, node));
        }
    };
    match &node.value {
        Yaml::Map(entries) => {
            for entry in entries {
                for name in [format!(".{}", entry.key), format!("[{}]", entry.key)] {
                    step(below(&name, path), &entry.value);
                }
            }
        }
        Yaml::List(items) => {
            for (index, item) in items.iter().enumerate() {
                step(below(&format!("[{index}]"), path), item);
            }
        }
        _ => {}
    }
    match next {
        Some((rest, node)) => found(node, path.get(path.len() - rest..).unwrap_or_default()),
        None => node,
    }
}
