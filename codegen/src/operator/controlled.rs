//! A kind that a controller works on: the operator's own, or one of Kubernetes.

use std::path::PathBuf;

use super::{
    Operator,
    api::{Api, Part},
    builtin::Builtin,
    controller,
    edits::Edit,
};
use crate::{model::Scope, output::Tree};

/// A kind that a controller works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Controlled {
    /// A kind of the operator.
    Own(Api),
    /// A kind of Kubernetes.
    Builtin(Builtin),
}

impl Controlled {
    /// The name of the controller and its test; `None` if there is none.
    #[must_use]
    pub const fn controller(&self) -> Option<&String> {
        match self {
            Self::Own(api) => api.controller.as_ref(),
            Self::Builtin(builtin) => builtin.controller.as_ref(),
        }
    }

    /// The operator.
    #[must_use]
    pub const fn operator(&self) -> &Operator {
        match self {
            Self::Own(api) => &api.operator,
            Self::Builtin(builtin) => &builtin.operator,
        }
    }

    /// Names the controller and its test.
    pub fn set_controller(&mut self, name: String) {
        match self {
            Self::Own(api) => api.controller = Some(name),
            Self::Builtin(builtin) => builtin.controller = Some(name),
        }
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Own(api) => &api.kind,
            Self::Builtin(builtin) => builtin.kind.kind,
        }
    }

    /// Whether its objects are in no namespace.
    #[must_use]
    pub fn is_cluster_scoped(&self) -> bool {
        match self {
            Self::Own(api) => api.scope == Scope::Cluster,
            Self::Builtin(builtin) => !builtin.kind.namespaced,
        }
    }

    /// The group and the version, as in `apiVersion`.
    #[must_use]
    pub fn api_version(&self) -> String {
        match self {
            Self::Own(api) => format!("{}/{}", api.group, api.version),
            Self::Builtin(builtin) => builtin.api_version(),
        }
    }

    /// Possible names of the controller, in order of preference: the kind's module, prefixed by the
    /// group if that is taken.
    #[must_use]
    pub fn names(&self) -> [String; 2] {
        match self {
            Self::Own(api) => controller::names(&api.group_module, &api.module),
            Self::Builtin(builtin) => builtin.names(),
        }
    }

    /// The controller's path.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        self.controller().map(|name| controller::path(name))
    }

    /// The files that come and go with the controller.
    #[must_use]
    pub fn files(&self) -> Tree {
        match self {
            Self::Own(api) => {
                let own = [Part::Controller, Part::Test].map(|part| api.path(part));
                let mut files = api.files();
                files.retain(|path, _| own.iter().flatten().any(|own| own == path));
                files
            }
            Self::Builtin(builtin) => builtin.files(),
        }
    }

    /// [`Self::files`], with tests that start with another object than the sample that `create`
    /// writes.
    #[must_use]
    pub fn started_with(&self, object: &str, namespace: &str) -> Tree {
        let home = self.operator().home();
        let renamed = |text: String| {
            text.replace(
                "SAMPLE: &str = \"sample\"",
                &format!("SAMPLE: &str = \"{object}\""),
            )
            .replace(
                &format!("client(), \"{home}\""),
                &format!("client(), \"{namespace}\""),
            )
        };
        let files = self.files().into_iter();
        files.map(|(path, text)| (path, renamed(text))).collect()
    }

    /// The controller's lines in other files.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit> {
        match self {
            Self::Own(api) => api.controller_edits(),
            Self::Builtin(builtin) => builtin.edits(),
        }
    }
}
