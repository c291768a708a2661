//! Options of manifests.

use std::path::Path;

/// How manifests are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifests {
    /// The folder of CRDs, or one `.yaml` file of all, relative to the crate's folder; none writes none.
    pub crds: Option<String>,
    /// The file of the roles that the crate's controllers need; none writes none.
    pub roles: Option<String>,
    /// The names of those roles.
    pub role: RoleOptions,
    /// The folder of roles for users of each kind; none writes none.
    pub user_roles: Option<String>,
    /// The file of the webhook configurations; none writes none.
    pub webhooks: Option<String>,
    /// The folder of the API reference, a page of Markdown for each version, or one `.md` file of all; none writes none.
    pub docs: Option<String>,
    /// The most bytes of a description; none keeps all.
    pub max_description: Option<usize>,
    /// Whether the metadata of embedded objects is described, not only permitted.
    pub embedded_object_meta: bool,
    /// Whether floating-point numbers are permitted, which lose digits between languages.
    pub floats: bool,
    /// Whether an annotation names the generator and its version.
    pub attribution: bool,
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
            max_description: None,
            embedded_object_meta: false,
            floats: false,
            attribution: false,
        }
    }
}

impl Manifests {
    /// Its paths without `./` before them, which says nothing; `.` alone is the empty path.
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

    /// The folder of CRDs, if each has a file of its own.
    pub(crate) fn crd_folder(&self) -> Option<&Path> {
        let path = self.crds.as_deref()?;
        (!Self::is_file_of_crds(path)).then(|| Path::new(path))
    }

    /// The folder of the API reference, if each version has a file of its own.
    pub(crate) fn docs_folder(&self) -> Option<&Path> {
        let path = self.docs.as_deref()?;
        (!Self::is_page(path)).then(|| Path::new(path))
    }

    /// Whether the path of CRDs is of one file for all of them.
    pub(crate) fn is_file_of_crds(path: &str) -> bool {
        has_extension(path, &["yaml", "yml"])
    }

    /// Whether the path of the API reference is of one page for all versions.
    pub(crate) fn is_page(path: &str) -> bool {
        has_extension(path, &["md"])
    }
}

/// Whether the path ends in one of the extensions, in either case.
fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(path).extension();
    extension.is_some_and(|one| extensions.iter().any(|it| one.eq_ignore_ascii_case(it)))
}

/// The options of roles that are configured rather than marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleOptions {
    /// The name of roles whose rules name no other.
    pub role_name: String,
    /// The namespace that the controller is confined to: rules about resources of namespaces go to a Role of it, where they
    /// name no other.
    pub namespace: Option<String>,
}

impl Default for RoleOptions {
    /// `manager-role`, as kubebuilder's projects call it, for the whole cluster.
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
