//! The CRDs of a configuration, for comparisons.

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    Config, Error, Progress,
    crd_files::open_all,
    load::{Modelled, on_threads},
};
use crate::{
    compat::{Definition, Origin, Set, YamlFile},
    diag::Diagnostics,
    emit::manifests,
    options::{Manifest, Manifests},
    read::crd::raw,
    source::Source,
};

impl Config {
    /// Reads the CRDs of YAML as they are, and builds those of types.
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub(crate) fn definitions(&self, progress: &dyn Progress) -> Result<Set, Error> {
        let mut set = of_sources(&open_all(&self.crds)?)?;
        if !self.apis.is_empty() || !self.go.is_empty() {
            set.extend(self.of_types(progress)?);
        }
        Ok(set)
    }

    fn of_types(&self, progress: &dyn Progress) -> Result<Set, Error> {
        let mut config = self.clone();
        config.crds.clear();
        let options = self.options.manifests.clone().unwrap_or_default();
        let options = Manifests {
            floats: true,
            ..options.only(Manifest::Crds)
        };
        let config = config.manifests(".", options).emit([]);
        let Modelled {
            api,
            options,
            evaluated,
        } = config.modelled(progress)?;
        let manifests = options.manifests.unwrap_or_default();
        let crds = manifests::unjudged(&api, &manifests, options.compat).map_err(Error::Input)?;
        let api = Arc::new(api);
        let definitions = crds.into_iter().map(|(.., value)| Definition {
            value,
            origin: Origin::Types(Arc::clone(&api)),
        });
        let mut set = of_sources(&evaluated)?;
        set.definitions.extend(definitions);
        Ok(set)
    }
}

/// Reads the CRDs of YAML sources.
///
/// # Errors
///
/// All sources that cannot be read.
pub(crate) fn of_sources(sources: &[Source]) -> Result<Set, Error> {
    let read: Vec<_> = on_threads(|| Ok(sources.par_iter().map(raw::read).collect()))?;
    let (mut set, mut found) = (Set::default(), Diagnostics::new());
    for (source, read) in sources.iter().zip(read) {
        match read {
            Ok(read) => {
                set.samples.extend(read.objects);
                let crds = read.crds.into_iter().enumerate();
                let file = Arc::new(YamlFile::new(source.clone()));
                set.definitions
                    .extend(crds.map(|(index, value)| Definition {
                        value,
                        origin: Origin::Yaml(Arc::clone(&file), index),
                    }));
            }
            Err(error) => found.push(*error),
        }
    }
    found.finish(set).map_err(Error::Input)
}
