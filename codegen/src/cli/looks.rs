//! Arguments for the shape of generated types.

use crate::{Config, options::TypeAttributes};
use clap::Args;

/// The shape of generated types.
#[derive(Debug, Args)]
pub(super) struct LookArgs {
    /// Derive `bon::Builder` for structs, whose `build()` only compiles once all required fields are set.
    #[arg(long)]
    builders: bool,
    /// Put the field at a schema path in a `Box`, as in VirtualMachine.spec.template; may be repeated.
    #[arg(long, value_name = "PATH")]
    boxed: Vec<String>,
    /// Derive traits for types whose names match, where `*` matches any characters, as in 'IssuerSpec*=Eq,schemars::JsonSchema';
    /// may be repeated.
    #[arg(long, value_name = "TYPES=DERIVE,…", value_parser = TypeAttributes::parse_derives)]
    type_derive: Vec<TypeAttributes>,
    /// Add an attribute to types whose names match, as in `IssuerSpec*=#[non_exhaustive]`; may be repeated.
    #[arg(long, value_name = "TYPES=ATTRIBUTE", value_parser = TypeAttributes::parse_attribute)]
    type_attribute: Vec<TypeAttributes>,
}

impl LookArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let config = config.builders(self.builders);
        let config = self.boxed.into_iter().fold(config, Config::boxed);
        let attributes = self.type_derive.into_iter().chain(self.type_attribute);
        attributes.fold(config, Config::type_attributes)
    }
}
