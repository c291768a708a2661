//! `kube-codegen schema`.

use crate::config::reference_schema;
use clap::Args;

use super::{Color, Failure, style};

/// Print a JSON schema of codegen.toml, for editors.
#[derive(Debug, Args)]
pub(super) struct Schema {}

impl Schema {
    pub(super) fn run(self, _: Color) -> Result<(), Failure> {
        let schema = serde_json::to_string_pretty(&reference_schema()).unwrap_or_default();
        style::print(&(schema + "\n"))
    }
}
