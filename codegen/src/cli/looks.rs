//! Arguments that say how generated types look.

use clap::Args;
use codegen::{
    Config,
    options::{MapType, TypeAttributes, Visibility},
};

/// How generated types look.
#[derive(Debug, Args)]
pub(super) struct LookArgs {
    /// Derive `bon::Builder` for structs: required fields have to be set before `build()` compiles.
    #[arg(long)]
    builders: bool,
    /// Put the field at a path of the schema in a `Box`, as in VirtualMachine.spec.template; may be repeated.
    #[arg(long, value_name = "PATH")]
    boxed: Vec<String>,
    /// The type of fields that are maps: `btree`, or `hash` for `HashMap`, written in the order of the keys.
    #[arg(long, value_name = "TYPE", default_value = "btree", value_parser = MapType::parse)]
    map_type: MapType,
    /// Who sees generated items: `public`, or `crate` for `pub(crate)`.
    #[arg(long, value_name = "WHO", default_value = "public", value_parser = Visibility::parse)]
    visibility: Visibility,
    /// Derive traits for the types whose names match, where `*` stands for any characters, as in 'IssuerSpec*=Eq,schemars::JsonSchema'; may be repeated.
    #[arg(long, value_name = "TYPES=DERIVE,…", value_parser = TypeAttributes::parse_derives)]
    type_derive: Vec<TypeAttributes>,
    /// Add an attribute to the types whose names match, as in `IssuerSpec*=#[non_exhaustive]`; may be repeated.
    #[arg(long, value_name = "TYPES=ATTRIBUTE", value_parser = TypeAttributes::parse_attribute)]
    type_attribute: Vec<TypeAttributes>,
}

impl LookArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let config = config
            .builders(self.builders)
            .map_type(self.map_type)
            .visibility(self.visibility);
        let config = self.boxed.into_iter().fold(config, Config::boxed);
        let attributes = self.type_derive.into_iter().chain(self.type_attribute);
        attributes.fold(config, Config::type_attributes)
    }
}
