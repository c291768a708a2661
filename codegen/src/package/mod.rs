//! Packages of an operator: `install.yaml` and a Helm chart, from the objects that its `config/` folder deploys.
//!
//! All formats are rendered from one list of objects, so they deploy the same. Nothing here reads or writes files. Start reading at
//! [`Package`]; [`kustomize`] finds the objects, [`chart`] is the largest format.

mod about;
mod chart;
mod error;
pub mod kustomize;
mod object;
mod patch;

use std::path::Path;

use serde_json::Value;

pub use about::About;
pub use error::Error;
pub use object::Object;

use crate::{
    header::TOML_MARKER,
    output::{
        Tree,
        yaml::{Part, document},
    },
};

/// A format of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One manifest with all objects.
    Install,
    /// A Helm chart.
    Chart,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Install, Self::Chart];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Chart => "chart",
        }
    }
}

/// An operator to package.
#[derive(Clone, Debug)]
pub struct Package {
    about: About,
    /// All objects, in the order in which a cluster takes them.
    objects: Vec<Object>,
    /// The index of the Deployment.
    deployment: usize,
}

impl Package {
    /// The operator that these objects deploy. `image` takes the place of the image of its program, which is the first container of its
    /// Deployment.
    ///
    /// # Errors
    ///
    /// If there is not one Deployment, or if that has no container or namespace.
    pub fn new(about: About, mut objects: Vec<Object>, image: Option<&str>) -> Result<Self, Error> {
        object::sort(&mut objects);
        let mut deployments = objects
            .iter()
            .enumerate()
            .filter(|(_, it)| it.is("Deployment"));
        let refused = |message: &str| Err(Error::Objects(message.to_owned()));
        let (Some((deployment, _)), None) = (deployments.next(), deployments.next()) else {
            return refused("an operator has one Deployment: leave others out of config/");
        };
        let Some(found) = objects.get_mut(deployment) else {
            return refused("the Deployment is missing");
        };
        if found.namespace().is_empty() {
            return refused("the Deployment has no metadata.namespace: set that of the operator");
        }
        let Some(container) = found.0.pointer_mut(CONTAINER) else {
            return refused("the Deployment has no container");
        };
        if let (Some(image), Some(container)) = (image, container.as_object_mut()) {
            container.insert("image".to_owned(), image.into());
        }
        Ok(Self {
            about,
            objects,
            deployment,
        })
    }

    /// The files of a format, below a folder for all of them, and warnings.
    #[must_use]
    pub fn files(&self, format: Format) -> (Tree, Vec<String>) {
        let (tree, warnings) = match format {
            Format::Install => {
                let tree = [("install.yaml".into(), self.install())];
                return (tree.into(), Vec::new());
            }
            Format::Chart => chart::files(self),
        };
        let folder = Path::new(format.name());
        let tree = tree.into_iter();
        let tree = tree.map(|(path, text)| (folder.join(path), text));
        (tree.collect(), warnings)
    }

    /// One manifest with all objects.
    fn install(&self) -> String {
        let objects = self.objects.iter();
        let objects = objects.map(|object| document(&Part::Json(&object.0)));
        std::iter::once(format!("{TOML_MARKER}\n"))
            .chain(objects)
            .collect()
    }

    /// The name of the operator: that of its Deployment.
    #[must_use]
    pub fn name(&self) -> &str {
        self.deployment().name()
    }

    /// The version of the operator.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.about.version
    }

    fn namespace(&self) -> &str {
        self.deployment().namespace()
    }

    fn deployment(&self) -> &Object {
        static NONE: Object = Object(Value::Null);
        self.objects.get(self.deployment).unwrap_or(&NONE)
    }

    /// The container of the program.
    fn container(&self) -> &Value {
        self.deployment()
            .0
            .pointer(CONTAINER)
            .unwrap_or(&Value::Null)
    }
}

/// Where a Deployment has the container of its program.
const CONTAINER: &str = "/spec/template/spec/containers/0";
