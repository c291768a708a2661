//! The paths of types, and the imports that shorten them.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{TypeRef, Version, names};

/// The crate that re-exports Kubernetes' types to operators.
const RUNTIME: &str = "codegen_runtime";

/// The names of a file: its own, and those that it imports.
pub(super) struct Paths<'a> {
    own: BTreeSet<&'a str>,
    /// Names of types that were made up on the way.
    made: BTreeSet<String>,
    /// Module by imported name.
    imported: BTreeMap<String, String>,
}

impl<'a> Paths<'a> {
    pub(super) fn new(version: &'a Version) -> Self {
        Self {
            own: version.types.iter().map(|def| def.name.as_str()).collect(),
            made: BTreeSet::new(),
            imported: BTreeMap::new(),
        }
    }

    /// A type of the prelude, in full if a type of the file has its name.
    pub(super) fn prelude(&self, name: &str) -> String {
        let module = match name {
            "Vec" => "vec",
            "Box" => "boxed",
            "String" => "string",
            _ => "option",
        };
        match self.own.contains(name) {
            true => format!("::std::{module}::{name}"),
            false => name.to_owned(),
        }
    }

    pub(super) fn map(&mut self) -> String {
        self.import("std::collections", "BTreeMap")
    }

    /// serde's derives, serialization first.
    pub(super) fn serde(&mut self) -> (String, String) {
        let mut derive = |name| self.import("serde", name);
        (derive("Serialize"), derive("Deserialize"))
    }

    /// A name for a further type of the file.
    pub(super) fn free(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.own.contains(name.as_str()) || self.made.contains(&name) {
            name.push_str("Item");
        }
        self.made.insert(name.clone());
        name
    }

    /// A type without arguments.
    pub(super) fn leaf(&mut self, ty: &TypeRef) -> String {
        match ty {
            TypeRef::Bool => "bool".to_owned(),
            TypeRef::Int32 => "i32".to_owned(),
            TypeRef::Int64 => "i64".to_owned(),
            TypeRef::Float => "f64".to_owned(),
            TypeRef::Float32 => "f32".to_owned(),
            TypeRef::Integer(name) => name.clone(),
            TypeRef::String => self.prelude("String"),
            TypeRef::Any => self.import("k8s_openapi::serde_json", "Value"),
            TypeRef::Local(name) => names::ident(name),
            TypeRef::Known(known) => self.import(known.module(), known.name()),
            TypeRef::External(external) => match external.segments.split_last() {
                Some((name, module)) => self.import(&module.join("::"), name),
                None => external.to_string(),
            },
            TypeRef::Verbatim(text) => text.clone(),
            // Written by the caller.
            TypeRef::List(_) | TypeRef::Map(_) | TypeRef::Optional(_) | TypeRef::Boxed(_) => {
                String::new()
            }
        }
    }

    /// Imports a name; the full path if another type has it.
    fn import(&mut self, module: &str, name: &str) -> String {
        let module = match module.starts_with("k8s_openapi") {
            true => format!("{RUNTIME}::{module}"),
            false => module.to_owned(),
        };
        let is_prelude = ["Option", "Vec", "Box", "String"].contains(&name);
        let other = self
            .imported
            .get(name)
            .is_some_and(|found| *found != module);
        if self.own.contains(name) || self.made.contains(name) || other || is_prelude {
            return format!("{module}::{name}");
        }
        self.imported.insert(name.to_owned(), module);
        name.to_owned()
    }

    /// The `use` items, in rustfmt's form and order.
    pub(super) fn imports(&self) -> String {
        let mut modules: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, module) in &self.imported {
            modules.entry(module).or_default().push(name);
        }
        let mut lines: Vec<String> = Vec::new();
        for (module, mut names) in modules {
            names.sort_unstable();
            let joined = match names.as_slice() {
                [only] => format!("use {module}::{only};"),
                names => format!("use {module}::{{{}}};", names.join(", ")),
            };
            match joined.chars().count() > super::LINE {
                true => lines.extend(names.iter().map(|name| format!("use {module}::{name};"))),
                false => lines.push(joined),
            }
        }
        let mut text = String::new();
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}
