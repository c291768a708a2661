//! Errors of planning and writing output.

use std::{
    io,
    path::{Path, PathBuf},
};

/// Why output cannot be planned or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path of a generated file would lead out of the output folder.
    #[error(
        "refusing to write {}: the path leads out of the output folder",
        path.display()
    )]
    Escapes {
        /// The generated path.
        path: PathBuf,
    },
    /// A component of the path is a symbolic link out of the output folder, or the file itself is a
    /// symbolic link.
    #[error(
        "refusing to write {}: {} is a symbolic link{}",
        path.display(),
        link.display(),
        if path == link { "" } else { " out of the output folder" }
    )]
    Symlink {
        /// The file to write.
        path: PathBuf,
        /// The link.
        link: PathBuf,
    },
    /// A handwritten file is in the way of a generated one.
    #[error(
        "refusing to overwrite {}: it has no generated marker, so it may be handwritten; move it away and run again",
        path.display()
    )]
    Handwritten {
        /// The file.
        path: PathBuf,
    },
    /// Two generations of one run write the same file with different contents.
    #[error("{} is generated twice in one run, with different contents", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
    },
    /// The run was interrupted before anything was written.
    #[error("interrupted: nothing was written")]
    Interrupted,
    /// A file system operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation: `read`, `write`, `write to`, `replace`, `remove`, `create`, `lock`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The I/O error.
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
