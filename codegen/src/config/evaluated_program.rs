//! A program that prints CRDs in place of what it does: nothing can link a program to ask it.
//!
//! cargo builds the package as it is, with its dependencies, features and build script. A wrapper
//! of rustc compiles a copy of the root module instead of the module itself. Beside the copy and
//! its folders are links to all that is beside the originals, so that modules and included files
//! are found.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::disk::Disk;

/// The name that the copy gives the program's own `main`.
const OWN_MAIN: &str = "main_of_the_program";

/// The root module of a program.
pub(super) struct RootModule {
    /// The name of the program.
    pub(super) name: String,
    /// The file, absolute.
    pub(super) path: PathBuf,
    /// The file as cargo names it: relative to the folder of the workspace.
    pub(super) shown: PathBuf,
}

impl RootModule {
    /// Returns the text of the module with another function `main`.
    pub(super) fn with_main(&self, main: &str, disk: &Disk) -> Result<String, String> {
        let bytes = disk.bytes(&self.path).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        let file = syn::parse_file(&text).map_err(|error| error.to_string())?;
        let own = file.items.iter().find_map(|item| match item {
            syn::Item::Fn(item) if item.sig.ident == "main" => Some(item.sig.ident.span()),
            _ => None,
        });
        let own = own.map(|span| span.byte_range());
        let parts = own.and_then(|own| text.get(..own.start).zip(text.get(own.end..)));
        let (before, after) = parts.ok_or("its root module declares no function `main`")?;
        Ok(format!("{before}{OWN_MAIN}{after}\n{main}"))
    }

    /// Writes the copy and the wrapper into a folder, and returns the path of the wrapper.
    pub(super) fn write(&self, copy: &str, folder: &Path) -> io::Result<PathBuf> {
        let mut root = folder.join("copy");
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let levels = match self.shown.is_relative() {
            true => self.shown.components().count(),
            false => 1,
        };
        let mut real = self.path.as_path();
        for _ in 0..levels {
            real = real.parent().unwrap_or(real);
        }
        let mut real = real.to_owned();
        for component in self.path.strip_prefix(&real).unwrap_or(&self.path) {
            fs::create_dir_all(&root)?;
            for entry in fs::read_dir(&real)? {
                let entry = entry?;
                if entry.file_name() != component {
                    link(&entry.path(), &root.join(entry.file_name()))?;
                }
            }
            real.push(component);
            root.push(component);
        }
        fs::write(&root, copy)?;
        let wrapper = folder.join("rustc");
        fs::write(&wrapper, self.wrapper(&root))?;
        executable(&wrapper)?;
        Ok(wrapper)
    }

    /// A script that runs rustc, on the copy if it is given the module.
    fn wrapper(&self, copy: &Path) -> String {
        let quoted = |path: &Path| {
            let text = path.to_string_lossy().replace('\'', "'\\''");
            format!("'{text}'")
        };
        format!(
            "#!/bin/sh\nrustc=$1\nshift\ncopied=\nfor argument in \"$@\"; do\n  shift\n  case $argument in\n    \
             {} | {}) argument={}; copied=yes ;;\n  esac\n  set -- \"$@\" \"$argument\"\ndone\n\
             [ -z \"$copied\" ] || set -- \"$@\" --cap-lints allow\nexec \"$rustc\" \"$@\"\n",
            quoted(&self.shown),
            quoted(&self.path),
            quoted(copy)
        )
    }
}

#[cfg(unix)]
fn link(to: &Path, from: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, from)
}

#[cfg(unix)]
fn executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn link(_to: &Path, _from: &Path) -> io::Result<()> {
    let why = "programs are evaluated on Unix: move the kinds to a library";
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

#[cfg(not(unix))]
fn executable(_file: &Path) -> io::Result<()> {
    Ok(())
}
