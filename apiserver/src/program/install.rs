//! Writes the folder for KUBEBUILDER_ASSETS.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Writes this program to a folder under each of the names, and prints the line that makes envtest
/// use it.
///
/// Links are hard, so that the folder keeps working when the build's own folder is removed, and
/// copies where the file system has no such links. Each is replaced at once: a suite that runs
/// meanwhile sees the old or the new one.
pub(super) fn install(folder: &Path, names: &[&str]) -> anyhow::Result<()> {
    let own = std::env::current_exe().context("cannot find this program")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for name in names {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let (draft, path) = (folder.join(format!(".{file}.new")), folder.join(file));
        // A draft may be left of a run that was ended.
        drop(fs::remove_file(&draft));
        fs::hard_link(&own, &draft)
            .or_else(|_| fs::copy(&own, &draft).map(drop))
            .and_then(|()| fs::rename(&draft, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        // A rename to another link of the same file leaves both.
        drop(fs::remove_file(&draft));
    }
    let folder = fs::canonicalize(folder)?;
    let quoted = folder.display().to_string().replace('\'', r"'\''");
    writeln!(std::io::stdout(), "export KUBEBUILDER_ASSETS='{quoted}'")?;
    Ok(())
}
