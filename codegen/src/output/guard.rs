//! The rule that output stays below its root.

use std::path::{Component, Path, PathBuf};

use super::Error;

/// The rule that output stays below a root.
pub(super) struct Guard {
    root: PathBuf,
    canonical: Option<PathBuf>,
}

impl Guard {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            canonical: root.canonicalize().ok(),
        }
    }

    /// Checks a path: it has only plain names, the file is no symbolic link, and no link on the way
    /// leaves the root.
    pub(super) fn check(&self, path: &Path) -> Result<(), Error> {
        let plain = path
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !plain || path.as_os_str().is_empty() {
            return Err(Error::Escapes {
                path: path.to_owned(),
            });
        }
        let Some(canonical) = &self.canonical else {
            return Ok(()); // The root does not exist yet, so nothing below it can be a link.
        };
        let target = self.root.join(path);
        for ancestor in path.ancestors() {
            let link = self.root.join(ancestor);
            let is_link = link
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_symlink());
            let allowed = !is_link
                || ancestor.as_os_str().is_empty()
                || (ancestor != path
                    && link
                        .canonicalize()
                        .is_ok_and(|real| real.starts_with(canonical)));
            if !allowed {
                return Err(Error::Symlink { path: target, link });
            }
        }
        Ok(())
    }
}
