//! Lines that kinds and webhooks have in the user's files: their contents and positions.

use std::path::PathBuf;

use super::{
    APP, ARGUMENTS,
    edit::{self, At, EditError},
    marker, text,
};

/// A line in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub path: PathBuf,
    /// The line and its position.
    pub kind: EditKind,
}

/// A line and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// An item within inline modules.
    Item {
        /// The modules, outermost first.
        within: Vec<String>,
        /// The item.
        item: String,
    },
    /// A statement in a function.
    Statement {
        /// The function, and the position in it.
        function: (&'static str, At),
        /// The statement.
        statement: String,
    },
    /// Rust items at the end of a file, including comments.
    Block(String),
    /// A marker above a type.
    Marker {
        /// The type.
        type_name: String,
        /// The marker comment.
        marker: String,
    },
    /// An item of a list in a YAML file.
    ListItem {
        /// The list's key, at the top level of the file.
        key: &'static str,
        /// The item.
        item: String,
    },
    /// A feature of a dependency in `Cargo.toml`.
    Feature {
        /// The dependency.
        dependency: &'static str,
        /// The feature.
        feature: &'static str,
    },
}

impl Edit {
    pub(super) fn item(path: impl Into<PathBuf>, item: impl Into<String>) -> Self {
        let (within, item) = (Vec::new(), item.into());
        Self::new(path, EditKind::Item { within, item })
    }

    pub(super) fn item_within(path: impl Into<PathBuf>, module: &str, item: String) -> Self {
        let within = vec![module.to_owned()];
        Self::new(path, EditKind::Item { within, item })
    }

    pub(super) fn statement(
        path: impl Into<PathBuf>,
        function: (&'static str, At),
        statement: impl Into<String>,
    ) -> Self {
        let statement = statement.into();
        Self::new(
            path,
            EditKind::Statement {
                function,
                statement,
            },
        )
    }

    /// The statement by which `demo` starts with the objects of a file.
    pub(super) fn demo_objects(path: &str) -> Self {
        let path = format!("\"../{path}\"");
        let include = format!("include_str!({path})");
        let statement = match include.len() > ARGUMENTS {
            true => format!("let demo = demo.objects(include_str!(\n    {path}\n));"),
            false => format!("let demo = demo.objects({include});"),
        };
        Self::statement(APP, ("demo", At::End), statement)
    }

    pub(super) fn new(path: impl Into<PathBuf>, kind: EditKind) -> Self {
        let path = path.into();
        Self { path, kind }
    }

    /// The line as shown in messages.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.kind {
            EditKind::Item { item, .. } => item.clone(),
            EditKind::Statement { statement, .. } => statement.clone(),
            EditKind::Block(block) => block.clone(),
            EditKind::Marker { marker, .. } => marker.clone(),
            EditKind::ListItem { key, item } => format!("{item} in {key}"),
            EditKind::Feature {
                dependency,
                feature,
            } => format!("the feature {feature} of {dependency}"),
        }
    }

    /// Adds the line to a file's contents.
    ///
    /// # Errors
    ///
    /// The position for the line does not exist.
    pub fn add(&self, text: &str) -> Result<String, EditError> {
        match &self.kind {
            EditKind::Item { within, item } => edit::add_item(text, &names(within), item),
            EditKind::Statement {
                function,
                statement,
            } => edit::add_statement(text, *function, statement),
            EditKind::Block(block) => Ok(text::add_block(text, block)),
            EditKind::Marker { type_name, marker } => marker::add(text, type_name, marker),
            EditKind::ListItem { key, item } => text::add_list_item(text, key, item),
            EditKind::Feature {
                dependency,
                feature,
            } => text::add_feature(text, dependency, feature),
        }
    }

    /// Removes the line from a file's contents.
    ///
    /// # Errors
    ///
    /// [`EditError::Syntax`].
    pub fn remove(&self, text: &str) -> Result<String, EditError> {
        match &self.kind {
            EditKind::Item { within, item } => edit::remove_item(text, &names(within), item),
            EditKind::Statement {
                function,
                statement,
            } => edit::remove_statement(text, function.0, statement),
            EditKind::Block(block) => Ok(text::remove_block(text, block)),
            EditKind::Marker { type_name, marker } => marker::remove(text, type_name, marker),
            EditKind::ListItem { key, item } => Ok(text::remove_list_item(text, key, item)),
            EditKind::Feature {
                dependency,
                feature,
            } => text::remove_feature(text, dependency, feature),
        }
    }
}

fn names(within: &[String]) -> Vec<&str> {
    within.iter().map(String::as_str).collect()
}
