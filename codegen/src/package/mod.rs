//! Packages of an operator: `install.yaml`, a Helm chart and an OLM bundle, from the objects that
//! its `config/` folder deploys.
//!
//! All formats are rendered from one list of objects, so they deploy the same. Nothing here reads
//! or writes files. Start reading at [`Package`]; [`kustomize`] finds the objects, `chart` and
//! `bundle` are the larger formats.

mod about;
mod bundle;
mod chart;
mod error;
pub mod kustomize;
mod namespaces;
mod object;
mod patch;

use std::path::Path;

use serde_json::Value;

pub use about::{About, Icon};
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
    /// A bundle for the Operator Lifecycle Manager.
    Bundle,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Install, Self::Chart, Self::Bundle];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Chart => "chart",
            Self::Bundle => "bundle",
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
    /// Objects of the operator's kinds, for those who read about it.
    samples: Vec<Object>,
    /// Objects that a user may want, by the name of their part.
    parts: Vec<(String, Vec<Object>)>,
}

impl Package {
    /// The operator that these objects deploy. `image` takes the place of the image of its program,
    /// which is the first container of its Deployment.
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
            samples: Vec::new(),
            parts: Vec::new(),
        })
    }

    /// Adds samples of the operator's kinds.
    #[must_use]
    pub fn samples(mut self, samples: Vec<Object>) -> Self {
        self.samples = samples;
        self
    }

    /// Adds parts that a chart has settings for, and other formats leave out.
    #[must_use]
    pub fn parts(mut self, parts: Vec<(String, Vec<Object>)>) -> Self {
        self.parts = parts;
        self
    }

    /// The files of a format, below a folder for all of them, and warnings.
    ///
    /// # Errors
    ///
    /// Objects that the format cannot represent.
    pub fn files(&self, format: Format) -> Result<(Tree, Vec<String>), Error> {
        let (tree, warnings) = match format {
            Format::Install => {
                let tree = [("install.yaml".into(), self.install())];
                return Ok((tree.into(), Vec::new()));
            }
            Format::Chart => chart::files(self)?,
            Format::Bundle => bundle::files(self),
        };
        let folder = Path::new(format.name());
        let tree = tree.into_iter();
        let tree = tree.map(|(path, text)| (folder.join(path), text));
        Ok((tree.collect(), warnings))
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

    /// The service account of the program.
    fn service_account(&self) -> &str {
        self.deployment()
            .text("/spec/template/spec/serviceAccountName")
    }

    /// The names of the Services that the API server calls webhooks through.
    fn webhook_services(&self) -> Vec<&str> {
        let of_webhooks = self.objects.iter().flat_map(|object| {
            let webhooks = object.0["webhooks"].as_array().into_iter().flatten();
            webhooks.map(|webhook| &webhook["clientConfig"])
        });
        let definitions = self.objects.iter();
        let conversions = definitions.filter_map(|object| object.0.pointer(CONVERSION));
        let clients = of_webhooks.chain(conversions);
        clients
            .filter_map(|client| client["service"]["name"].as_str())
            .collect()
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

/// Where a CRD has the client of its conversion webhook.
const CONVERSION: &str = "/spec/conversion/webhook/clientConfig";
