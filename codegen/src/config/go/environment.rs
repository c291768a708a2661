//! Go's environment: the folders of modules and of the standard library.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::read::go::Build;

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
    /// The build that packages are read for.
    pub build: Build,
}

impl Environment {
    /// Reads the environment of this process, the settings of `go env -w`, and Go's defaults. Runs
    /// no command.
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
        let flag = |name: &str| {
            let flags = flags.split_whitespace();
            let mut values =
                flags.filter_map(|flag| flag.trim_start_matches('-').strip_prefix(name));
            values.next_back().map(str::to_owned)
        };
        let text = |name: &str| value(name).map(|value| value.to_string_lossy().into_owned());
        Self {
            module_cache: path("GOMODCACHE").unwrap_or_else(|| go_path(path("GOPATH"))),
            root: path("GOROOT").or_else(find_root),
            mod_flag: flag("mod="),
            workspace: text("GOWORK"),
            build: build(&text, flag("tags=").as_deref()),
        }
    }
}

/// The build that Go's settings declare. Unlike in Go, the machine does not decide what they leave
/// out; as in Go, a build for another platform has no cgo unless it is asked for.
fn build(value: &dyn Fn(&str) -> Option<String>, tags: Option<&str>) -> Build {
    let usual = Build::default();
    let os = value("GOOS").unwrap_or(usual.os.clone());
    let arch = value("GOARCH").unwrap_or(usual.arch.clone());
    let is_usual = (&os, &arch) == (&usual.os, &usual.arch);
    let tags = tags.unwrap_or_default().split(',');
    Build {
        os,
        arch,
        cgo: value("CGO_ENABLED").map_or(is_usual, |flag| flag == "1"),
        tags: tags
            .filter(|tag| !tag.is_empty())
            .map(str::to_owned)
            .collect(),
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
    fn the_build_is_that_of_the_settings() {
        let of = |settings: &str, tags| {
            let value = |name: &str| find_setting(settings, name).map(str::to_owned);
            let build = build(&value, tags);
            let cgo = if build.cgo { "cgo" } else { "no cgo" };
            format!("{}/{} {cgo} {}", build.os, build.arch, build.tags.join(" "))
        };
        for (settings, tags, expected) in [
            ("", None, "linux/amd64 cgo "),
            ("CGO_ENABLED=0\n", None, "linux/amd64 no cgo "),
            ("GOOS=windows\n", Some("a,b"), "windows/amd64 no cgo a b"),
            ("GOARCH=arm64\nCGO_ENABLED=1\n", None, "linux/arm64 cgo "),
        ] {
            assert_eq!(of(settings, tags), expected, "{settings}");
        }
    }

    #[test]
    fn the_module_cache_is_below_the_first_go_path() {
        let paths = env::join_paths(["/a", "/b"]).expect("paths");
        assert_eq!(go_path(Some(paths.into())), Path::new("/a/pkg/mod"));
    }
}
