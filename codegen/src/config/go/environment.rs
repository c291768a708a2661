//! Go's environment: the folders of modules and of the standard library.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// The part of Go's environment that is needed to find packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    /// The folder of unpacked modules (`GOMODCACHE`).
    pub module_cache: PathBuf,
    /// Go's own folder (`GOROOT`), if one is found.
    pub root: Option<PathBuf>,
    /// The value of `-mod` in `GOFLAGS`.
    pub mod_flag: Option<String>,
    /// The value of `GOWORK`.
    pub workspace: Option<String>,
}

impl Environment {
    /// Reads the environment of this process, the settings of `go env -w`, and Go's defaults. Runs no command.
    #[must_use]
    pub fn from_process() -> Self {
        let settings = settings();
        let value = |name: &str| {
            let set = env::var_os(name).filter(|value| !value.is_empty());
            set.or_else(|| Some(OsString::from(find_setting(&settings, name)?)))
        };
        let path = |name: &str| value(name).map(PathBuf::from);
        let flags = value("GOFLAGS").unwrap_or_default();
        let flags = flags.to_string_lossy();
        let mod_flag = flags
            .split_whitespace()
            .filter_map(|flag| flag.trim_start_matches('-').strip_prefix("mod="))
            .next_back();
        Self {
            module_cache: path("GOMODCACHE").unwrap_or_else(|| go_path(path("GOPATH"))),
            root: path("GOROOT").or_else(find_root),
            mod_flag: mod_flag.map(str::to_owned),
            workspace: value("GOWORK").map(|value| value.to_string_lossy().into_owned()),
        }
    }
}

/// The module cache below the first folder of `GOPATH`.
fn go_path(go_path: Option<PathBuf>) -> PathBuf {
    let first = go_path.and_then(|paths| env::split_paths(&paths).next());
    let home = || env::home_dir().unwrap_or_default().join("go");
    first.unwrap_or_else(home).join("pkg").join("mod")
}

/// The file that `go env -w` writes.
fn settings() -> String {
    let path = match env::var_os("GOENV") {
        Some(path) if path == "off" => return String::new(),
        Some(path) if !path.is_empty() => PathBuf::from(path),
        _ => {
            let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
            let config = config.or_else(|| Some(env::home_dir()?.join(".config")));
            config.unwrap_or_default().join("go").join("env")
        }
    };
    fs::read_to_string(path).unwrap_or_default()
}

fn find_setting<'a>(settings: &'a str, name: &str) -> Option<&'a str> {
    settings
        .lines()
        .filter_map(|line| line.split_once('='))
        .find(|(key, value)| key.trim() == name && !value.is_empty())
        .map(|(_, value)| value)
}

/// Finds `GOROOT`: the default folder, or that of the `go` command.
fn find_root() -> Option<PathBuf> {
    let is_root = |path: &Path| path.join("src").join("time").is_dir();
    let usual = PathBuf::from("/usr/local/go");
    if is_root(&usual) {
        return Some(usual);
    }
    let paths = env::var_os("PATH")?;
    env::split_paths(&paths).find_map(|folder| {
        let command = fs::canonicalize(folder.join("go")).ok()?;
        let root = command.parent()?.parent()?.to_owned();
        is_root(&root).then_some(root)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_lines_of_names_and_values() {
        let settings = "GOFLAGS=-mod=mod\nGOMODCACHE=/a\nGOPATH=\n";
        assert_eq!(find_setting(settings, "GOMODCACHE"), Some("/a"));
        assert_eq!(find_setting(settings, "GOFLAGS"), Some("-mod=mod"));
        assert_eq!(find_setting(settings, "GOPATH"), None);
    }

    #[test]
    fn the_module_cache_is_below_the_first_go_path() {
        let paths = env::join_paths(["/a", "/b"]).expect("paths");
        assert_eq!(go_path(Some(paths.into())), Path::new("/a/pkg/mod"));
    }
}
