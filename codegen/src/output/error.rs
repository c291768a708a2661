//! Errors between a tree and the disk.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why output cannot be planned or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path of a generated file would lead out of the output folder.
    #[error(
        "refusing to write {}: the path leads out of the output folder",
        path.display()
    )]
    Escapes {
        /// The path as it was generated.
        path: PathBuf,
    },
    /// A part of the path is a symbolic link out of the output folder, or the file itself is a symbolic link.
    #[error(
        "refusing to write {}: {} is a symbolic link{}",
        path.display(),
        link.display(),
        if path == link { "" } else { " out of the output folder" }
    )]
    Symlink {
        /// The file that was to be written.
        path: PathBuf,
        /// The link.
        link: PathBuf,
    },
    /// A file that a person wrote stands where a generated one belongs.
    #[error(
        "refusing to overwrite {}: it carries no generated marker, so somebody wrote it; move it away and run again",
        path.display()
    )]
    Handwritten {
        /// The file.
        path: PathBuf,
    },
    /// Two generations of one run want the same file.
    #[error("{} is generated twice in one run, with different texts", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// The run was asked to stop before anything was written.
    #[error("interrupted: nothing was written")]
    Interrupted,
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation: `read`, `write`, `write to`, `replace`, `remove`, `create`, `lock`.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}
