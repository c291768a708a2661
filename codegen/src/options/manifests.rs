//! The table of manifests: [`manifests!`] below has one row for each.
//!
//! A new manifest is a row here, an option with its path, and a file of
//! [`emit`](crate::emit::manifests) that the row names and that returns its files. The table is a
//! macro that passes its rows to another one, so that this module does not import the emitters.

use std::path::Path;

use super::{DocsFormat, Filters, table::Manifests};
use crate::diag::Diagnostics;

/// What a manifest is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The types of kinds, with all their fields.
    Types,
    /// The names of kinds.
    Kinds,
    /// Markers of the crate, whatever its kinds: rules and webhooks.
    Markers,
}

/// Passes the table to a macro, which gets a row for each manifest, in the order in which they are
/// written: its documentation, its variant, the option that is its path, what it is made of, and
/// the module that writes it.
macro_rules! manifests {
    ($macro:ident) => {
        $macro! {
            /// CustomResourceDefinitions.
            Crds at crds from Types by files;
            /// The roles of the crate's controllers.
            Roles at roles from Markers by roles;
            /// The roles of users of each kind.
            UserRoles at user_roles from Kinds by user_roles;
            /// The webhook configurations.
            Webhooks at webhooks from Markers by webhooks;
            /// The API reference.
            Docs at docs from Types by docs;
        }
    };
}
pub(crate) use manifests;

macro_rules! declare {
    ($($(#[doc = $doc:literal])+ $variant:ident at $path:ident from $basis:ident by $module:ident;)+) => {
        /// A manifest.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Manifest {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Manifest {
            /// All manifests, in the order in which they are written.
            pub(crate) const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            fn basis(self) -> Basis {
                match self {
                    $(Self::$variant => Basis::$basis,)+
                }
            }
        }

        impl Manifests {
            /// The path of a manifest's file or folder; `None` if it is not written.
            pub(crate) fn path(&self, manifest: Manifest) -> Option<&str> {
                match manifest {
                    $(Manifest::$variant => self.$path.as_deref(),)+
                }
            }

            fn path_mut(&mut self, manifest: Manifest) -> &mut Option<String> {
                match manifest {
                    $(Manifest::$variant => &mut self.$path,)+
                }
            }
        }
    };
}

manifests!(declare);

impl Manifests {
    /// These options without the paths of all other manifests.
    pub(crate) fn only(mut self, manifest: Manifest) -> Self {
        for other in Manifest::ALL.into_iter().filter(|it| *it != manifest) {
            *self.path_mut(other) = None;
        }
        self
    }

    /// Whether a manifest is written that is made of this.
    pub(crate) fn need(&self, basis: Basis) -> bool {
        let mut all = Manifest::ALL.into_iter();
        all.any(|one| one.basis() == basis && self.path(one).is_some())
    }

    /// Removes leading `./` from the paths; `.` becomes the empty path.
    pub(crate) fn with_plain_paths(mut self) -> Self {
        for manifest in Manifest::ALL {
            let Some(path) = self.path_mut(manifest) else {
                continue;
            };
            while let Some(rest) = path.strip_prefix("./") {
                *path = rest.to_owned();
            }
            if path == "." {
                path.clear();
            }
        }
        self
    }

    /// Whether only some groups or kinds are wanted.
    pub(crate) fn is_selective(&self) -> bool {
        !self.groups.is_empty() || !self.kinds.is_empty()
    }

    /// Whether the CRD of a kind is wanted.
    pub(crate) fn selects(&self, group: &str, kind: &str) -> bool {
        let has =
            |names: &[String], name: &str| names.is_empty() || names.iter().any(|it| it == name);
        has(&self.groups, group) && has(&self.kinds, kind) && !self.is_evaluated(group, kind)
    }

    /// Whether the compiler is asked for the CRD of a kind.
    pub(crate) fn is_evaluated(&self, group: &str, kind: &str) -> bool {
        let mut evaluated = self.evaluated.iter();
        evaluated.any(|one| one.0 == group && one.1 == kind)
    }

    /// The errors for selected groups and kinds that are not among those of the input.
    pub(crate) fn check_selection<'n>(
        &self,
        names: impl Iterator<Item = (&'n str, &'n str)>,
        diagnostics: &mut Diagnostics,
    ) {
        let (groups, kinds) = names.unzip();
        let filters = Filters {
            groups: self.groups.clone(),
            kinds: self.kinds.clone(),
            ..Filters::default()
        };
        filters.check(&groups, &kinds, diagnostics);
    }

    /// The folder of CRDs, if each has its own file.
    pub(crate) fn crd_folder(&self) -> Option<&Path> {
        let path = self.crds.as_deref()?;
        (!Self::is_file_of_crds(path)).then(|| Path::new(path))
    }

    /// The folder of the API reference, if each version has its own file.
    pub(crate) fn docs_folder(&self) -> Option<&Path> {
        let path = self.docs.as_deref()?;
        (!Self::is_page(path)).then(|| Path::new(path))
    }

    /// Whether the path of CRDs is a single file for all.
    pub(crate) fn is_file_of_crds(path: &str) -> bool {
        has_extension(path, &["yaml", "yml"])
    }

    /// Whether the path of the API reference is a single page for all versions.
    pub(crate) fn is_page(path: &str) -> bool {
        has_extension(path, &["md", "html"])
    }

    /// The format of the API reference, if there is one.
    pub(crate) fn reference(&self) -> Option<DocsFormat> {
        let path = self.docs.as_deref()?;
        let formats = [DocsFormat::Markdown, DocsFormat::Html];
        let of_file = formats
            .into_iter()
            .find(|it| has_extension(path, &[it.extension()]));
        Some(of_file.unwrap_or(self.docs_format))
    }

    /// Whether an output is derived from whole CRDs.
    pub(crate) fn uses_crds(&self) -> bool {
        self.crds.is_some() || self.reference() == Some(DocsFormat::Html)
    }
}

/// Whether the path has one of the extensions, ignoring case.
fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|one| extensions.iter().any(|it| one.eq_ignore_ascii_case(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_of_files_or_folders_by_their_extension() {
        let with = |path: &str| {
            let manifests = Manifests {
                crds: Some(path.to_owned()),
                docs: Some(path.to_owned()),
                ..Manifests::default()
            };
            let plain = manifests.with_plain_paths();
            let folders = [plain.crd_folder(), plain.docs_folder()];
            folders.map(|folder| folder.map(Path::to_owned))
        };
        let folder = |path: &str| Some(path.into());
        assert_eq!(with("./docs/api"), [folder("docs/api"), folder("docs/api")]);
        for here in [".", "./", "././."] {
            assert_eq!(with(here), [folder(""), folder("")], "{here}");
        }
        for file in ["crds.yaml", "crds.yml", "config/CRDS.YAML"] {
            assert_eq!(with(file), [None, folder(file)]);
        }
        assert_eq!(with("API.MD"), [folder("API.MD"), None]);
        assert_eq!(with("yaml"), [folder("yaml"), folder("yaml")]);
    }
}
