//! Options of manifests.

use std::path::Path;

/// Which manifests to write, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifests {
    /// The folder of CRDs, or one `.yaml` file for all, relative to the crate's folder; `None` writes no CRDs.
    pub crds: Option<String>,
    /// The file of the roles of the crate's controllers; `None` writes no roles.
    pub roles: Option<String>,
    /// The names of those roles.
    pub role: RoleOptions,
    /// The folder of user roles for each kind; `None` writes no user roles.
    pub user_roles: Option<String>,
    /// The file of webhook configurations; `None` writes none.
    pub webhooks: Option<String>,
    /// The folder of the API reference, with one Markdown page per version or one HTML page per group, or one file for all; `None`
    /// writes no reference.
    pub docs: Option<String>,
    /// The format of the API reference in a folder; a file's extension tells it.
    pub docs_format: DocsFormat,
    /// The maximum length of a description, in bytes; `None` for no limit.
    pub max_description: Option<usize>,
    /// Whether the schema of embedded metadata lists its properties instead of only permitting an object.
    pub embedded_object_meta: bool,
    /// Whether floating-point numbers are permitted, which differ in precision between languages.
    pub floats: bool,
    /// Whether an annotation names the generator and its version.
    pub attribution: bool,
}

/// The format of an API reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocsFormat {
    /// Markdown, one page per version.
    #[default]
    Markdown,
    /// HTML, one page per group with all versions, and an index.
    Html,
}

impl DocsFormat {
    /// The extension of the pages.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }

    /// Parses `markdown` or `html`.
    ///
    /// # Errors
    ///
    /// A message that lists the formats.
    pub fn parse(word: &str) -> Result<Self, String> {
        match word {
            "markdown" => Ok(Self::Markdown),
            "html" => Ok(Self::Html),
            _ => Err("expected `markdown` or `html`".to_owned()),
        }
    }
}

impl Default for Manifests {
    fn default() -> Self {
        Self {
            crds: Some("config/crd/bases".to_owned()),
            roles: Some("config/rbac/role.yaml".to_owned()),
            role: RoleOptions::default(),
            user_roles: None,
            webhooks: Some("config/webhook/manifests.yaml".to_owned()),
            docs: None,
            docs_format: DocsFormat::Markdown,
            max_description: None,
            embedded_object_meta: false,
            floats: false,
            attribution: false,
        }
    }
}

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

/// Options of roles that come from the configuration rather than from markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleOptions {
    /// The name of roles whose rules do not name one.
    pub role_name: String,
    /// The namespace that the controller is confined to. Rules about namespaced resources that do not specify another namespace
    /// go to a Role in it.
    pub namespace: Option<String>,
}

impl Default for RoleOptions {
    /// `manager-role` for the whole cluster, as in kubebuilder projects.
    fn default() -> Self {
        Self {
            role_name: "manager-role".to_owned(),
            namespace: None,
        }
    }
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
