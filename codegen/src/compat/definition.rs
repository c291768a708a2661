//! A CRD with its origin, and the lines of its parts.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use kube_crd_diff::Finding;
use serde_json::Value;

use super::{declared::Types, twice};
use crate::{
    diag::{Diagnostics, Place},
    model::ApiSet,
    read::crd::raw::Located,
    source::Source,
};

/// Where a CRD comes from.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// The n-th CRD of a YAML file.
    Yaml(Arc<YamlFile>, usize),
    /// Types in Rust or Go.
    Types(Arc<ApiSet>),
}

/// A file of CRDs. Places are read when the first of its CRDs asks for one, once for all of them: a
/// file may have thousands.
#[derive(Debug)]
pub(crate) struct YamlFile {
    source: Source,
    located: OnceLock<Located>,
}

impl YamlFile {
    pub(crate) const fn new(source: Source) -> Self {
        Self {
            source,
            located: OnceLock::new(),
        }
    }

    fn located(&self) -> &Located {
        self.located.get_or_init(|| Located::read(&self.source))
    }
}

/// A CRD.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// It, in the form of v1.
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// The CRDs of one side, and objects that were beside them.
#[derive(Debug, Default)]
pub(crate) struct Set {
    pub(crate) definitions: Vec<Definition>,
    pub(crate) samples: Vec<Value>,
}

/// A line of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Set {
    /// Adds those of another input.
    pub(crate) fn extend(&mut self, other: Self) {
        self.definitions.extend(other.definitions);
        self.samples.extend(other.samples);
    }

    /// The CRDs by name; equal ones count once.
    ///
    /// # Errors
    ///
    /// Two of one name that differ.
    pub(crate) fn by_name(&self) -> Result<BTreeMap<String, &Definition>, Diagnostics> {
        let mut found: BTreeMap<String, &Definition> = BTreeMap::new();
        let mut diagnostics = Diagnostics::new();
        for definition in &self.definitions {
            let name = definition.name();
            match found.get(&name) {
                Some(known) if known.value != definition.value => {
                    diagnostics.push(twice(&name, known, definition));
                }
                Some(_) => {}
                None => {
                    found.insert(name, definition);
                }
            }
        }
        diagnostics.finish(found)
    }
}

impl Definition {
    /// The name of the CRD (`widgets.example.com`).
    pub(crate) fn name(&self) -> String {
        self.names().join(".")
    }

    /// Its plural and group.
    fn names(&self) -> [&str; 2] {
        ["/spec/names/plural", "/spec/group"].map(|pointer| {
            let found = self.value.pointer(pointer).and_then(Value::as_str);
            found.unwrap_or_default()
        })
    }

    /// Its input in messages.
    pub(crate) fn shown(&self) -> String {
        match &self.origin {
            Origin::Yaml(file, _) => file.source.name.clone(),
            Origin::Types(_) => "types".to_owned(),
        }
    }
}

/// The lines of a CRD's parts.
pub(crate) enum Places<'d> {
    Yaml(&'d YamlFile, usize),
    Types(Types<'d>),
}

impl<'d> Places<'d> {
    pub(crate) fn of(definition: &'d Definition) -> Self {
        match &definition.origin {
            Origin::Yaml(file, index) => Self::Yaml(file, *index),
            Origin::Types(api) => {
                let [plural, group] = definition.names();
                Self::Types(Types::new(api, group, plural))
            }
        }
    }

    /// The line of a finding.
    pub(super) fn spot(&self, finding: &Finding, pointer: &[String]) -> Option<Spot> {
        let place = self.place(&finding.version, &finding.path, pointer)?;
        Some(Spot::of(&place))
    }

    /// Where a field of a version is declared, or the value that the keys lead to in YAML.
    pub(crate) fn place(&self, version: &str, path: &str, pointer: &[String]) -> Option<Place> {
        match self {
            Self::Yaml(file, index) => file.located().place(&file.source, *index, pointer),
            Self::Types(types) => types.at(version, path)?.place.cloned(),
        }
    }
}

impl Spot {
    /// The start of a place.
    pub(crate) fn of(place: &Place) -> Self {
        let (line, column) = place.line_column();
        Self {
            file: place.file.to_string(),
            line,
            column,
        }
    }
}
