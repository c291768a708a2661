//! Paths of manifests.

use std::path::Path;

use super::{DocsFormat, Filters, table::Manifests};
use crate::diag::Diagnostics;

impl Manifests {
    /// Removes leading `./` from the paths; `.` becomes the empty path.
    pub(crate) fn with_plain_paths(mut self) -> Self {
        let folders = [&mut self.crds, &mut self.user_roles, &mut self.docs];
        let files = [&mut self.roles, &mut self.webhooks];
        for path in folders.into_iter().chain(files).flatten() {
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
