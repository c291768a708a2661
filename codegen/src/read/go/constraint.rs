//! Build constraints: which files are part of a build, by file name and by `//go:build` and
//! `// +build` lines.

/// The operating systems and architectures recognised as file name suffixes.
#[rustfmt::skip]
const SYSTEMS: [&str; 18] = [
    "aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux",
    "nacl", "netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
];
#[rustfmt::skip]
const ARCHITECTURES: [&str; 24] = [
    "386", "amd64", "amd64p32", "arm", "armbe", "arm64", "arm64be", "loong64", "mips", "mipsle",
    "mips64", "mips64le", "mips64p32", "mips64p32le", "ppc", "ppc64", "ppc64le", "riscv", "riscv64",
    "s390", "s390x", "sparc", "sparc64", "wasm",
];

/// Those of them to which the tag `unix` does not apply.
const NOT_UNIX: [&str; 6] = ["js", "nacl", "plan9", "wasip1", "windows", "zos"];

/// Systems on which the tag of another one applies too.
const ALSO: [(&str, &str); 3] = [
    ("android", "linux"),
    ("illumos", "solaris"),
    ("ios", "darwin"),
];

/// The build that packages are read for. Its default is that of controllers: Linux on amd64, with
/// cgo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The operating system (`GOOS`).
    pub os: String,
    /// The architecture (`GOARCH`).
    pub arch: String,
    /// Whether files that import `C` are part of it (`CGO_ENABLED`).
    pub cgo: bool,
    /// Its tags (`-tags`).
    pub tags: Vec<String>,
}

impl Default for Build {
    fn default() -> Self {
        Self {
            os: "linux".to_owned(),
            arch: "amd64".to_owned(),
            cgo: true,
            tags: Vec::new(),
        }
    }
}

impl Build {
    /// Whether a file with this name is part of the build: Go source, not a test, not for another
    /// platform.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        let Some(stem) = name.strip_suffix(".go") else {
            return false;
        };
        if name.starts_with(['_', '.']) || stem.ends_with("_test") {
            return false;
        }
        let stem = stem.split('.').next().unwrap_or_default();
        let parts: Vec<&str> = stem.split('_').skip(1).collect();
        let system = |part: &str| SYSTEMS.contains(&part);
        let architecture = |part: &str| ARCHITECTURES.contains(&part);
        match parts.as_slice() {
            [.., os, arch] if system(os) && architecture(arch) => {
                self.holds(os) && self.holds(arch)
            }
            [.., last] if system(last) || architecture(last) => self.holds(last),
            _ => true,
        }
    }

    /// Whether the lines above the package clause allow the file to be built; constraints that
    /// cannot be parsed do.
    pub(super) fn has_text(&self, text: &str) -> bool {
        builds_text(self, text)
    }

    fn holds(&self, tag: &str) -> bool {
        let is_unix = SYSTEMS.contains(&self.os.as_str()) && !NOT_UNIX.contains(&self.os.as_str());
        match tag {
            "gc" => true,
            "cgo" => self.cgo,
            "unix" if is_unix => true,
            _ => {
                let mut also = ALSO.iter().filter(|(os, _)| *os == self.os);
                let release = tag.strip_prefix("go1.");
                tag == self.os
                    || tag == self.arch
                    || also.any(|(_, other)| *other == tag)
                    || release.is_some_and(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()))
                    || self.tags.iter().any(|own| own == tag)
            }
        }
    }
}

fn builds_text(build: &Build, text: &str) -> bool {
    let mut old = Vec::new();
    // `// +build` lines count only if a blank line separates them from the package clause.
    let mut pending = Vec::new();
    let mut in_block = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        if in_block {
            in_block = !line.contains("*/");
            continue;
        }
        if line.is_empty() {
            old.append(&mut pending);
        } else if let Some(comment) = line.strip_prefix("//") {
            if let Some(expression) = comment.strip_prefix("go:build") {
                return Expression::evaluate(build, expression);
            }
            if let Some(terms) = comment.trim_start().strip_prefix("+build") {
                pending.push(terms);
            }
        } else if line.starts_with("/*") {
            in_block = !line.contains("*/");
        } else {
            break;
        }
    }
    old.iter().all(|terms| {
        terms.split_whitespace().next().is_none()
            || terms.split_whitespace().any(|option| {
                option.split(',').all(|term| match term.strip_prefix('!') {
                    Some(tag) => !build.holds(tag),
                    None => build.holds(term),
                })
            })
    })
}

/// An expression of a `//go:build` line.
struct Expression<'a> {
    build: &'a Build,
    rest: &'a str,
    depth: usize,
}

impl Expression<'_> {
    fn evaluate(build: &Build, text: &str) -> bool {
        let mut expression = Expression {
            build,
            rest: text,
            depth: 0,
        };
        expression.any().unwrap_or(true)
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn any(&mut self) -> Option<bool> {
        let mut value = self.all()?;
        while self.eat("||") {
            value |= self.all()?;
        }
        Some(value)
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.one()?;
        while self.eat("&&") {
            value &= self.one()?;
        }
        Some(value)
    }

    fn one(&mut self) -> Option<bool> {
        let mut negated = false;
        while self.eat("!") {
            negated = !negated;
        }
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        let value = if self.eat("(") {
            let value = self.any()?;
            self.eat(")").then_some(value)?
        } else {
            self.rest = self.rest.trim_start();
            let is_tag = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
            let end = self.rest.find(|c| !is_tag(c)).unwrap_or(self.rest.len());
            let (tag, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest;
            (!tag.is_empty()).then(|| self.build.holds(tag))?
        };
        self.depth -= 1;
        Some(value != negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_choose_files() {
        for (name, built) in [
            ("types.go", true),
            ("types_test.go", false),
            ("a_linux.go", true),
            ("a_windows.go", false),
            ("a_linux_amd64.go", true),
            ("a_linux_arm64.go", false),
            ("a_arm64.go", false),
            ("a_amd64.go", true),
            ("linux.go", true),
            ("windows.go", true),
            ("windows_types.go", true),
            ("a_unix.go", true),
            ("zz_generated.deepcopy.go", true),
            ("a_windows.pb.go", false),
            (".a.go", false),
            ("_a.go", false),
            ("types.txt", false),
        ] {
            assert_eq!(Build::default().has_name(name), built, "{name}");
        }
    }

    #[test]
    fn lines_choose_files() {
        for (header, built) in [
            ("", true),
            ("//go:build linux\n", true),
            ("//go:build !linux\n", false),
            ("//go:build ignore\n", false),
            ("//go:build !ignore_autogenerated\n", true),
            ("//go:build (linux && amd64) || windows\n", true),
            ("//go:build linux && !(amd64 || arm64)\n", false),
            ("//go:build go1.21\n", true),
            ("// +build ignore\n\n", false),
            ("// +build ignore\n", true),
            ("// +build !ignore_autogenerated\n\n", true),
            ("// +build linux,!amd64 windows\n\n", false),
            ("// +build linux\n// +build amd64\n\n", true),
            ("//go:build linux\n// +build ignore\n\n", true),
            ("/*\n//go:build ignore\n*/\n", true),
            ("// Copyright\n\n//go:build windows\n", false),
            ("//go:build (\n", true),
        ] {
            assert_eq!(
                builds_text(&Build::default(), &format!("{header}package a\n")),
                built,
                "{header}"
            );
        }
        let deep = format!("//go:build {}linux\npackage a\n", "(".repeat(100_000));
        assert!(Build::default().has_text(&deep));
        assert!(Build::default().has_text("package a\n//go:build ignore\n"));
    }

    #[test]
    fn a_build_for_another_platform_has_other_files() {
        let build = |os: &str| Build {
            os: os.to_owned(),
            arch: "arm64".to_owned(),
            cgo: false,
            tags: vec!["fips".to_owned()],
        };
        for (os, name, header, built) in [
            ("windows", "a_windows.go", "", true),
            ("windows", "a_linux.go", "", false),
            ("windows", "a_windows_arm64.go", "", true),
            ("windows", "a.go", "//go:build unix\n", false),
            ("darwin", "a.go", "//go:build unix && !cgo\n", true),
            ("darwin", "a.go", "//go:build cgo\n", false),
            ("darwin", "a_amd64.go", "", false),
            ("darwin", "a.go", "//go:build fips\n", true),
            ("android", "a_linux.go", "//go:build linux\n", true),
            ("ios", "a_darwin.go", "", true),
        ] {
            let build = build(os);
            let found = build.has_name(name) && build.has_text(&format!("{header}package a\n"));
            assert_eq!(found, built, "{os} {name} {header}");
        }
    }
}
