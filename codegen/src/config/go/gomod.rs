//! `go.mod`, `go.work` and `vendor/modules.txt`: the directives that locate packages.

/// The contents of a module file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModFile {
    /// The module's path; empty in `go.work`.
    pub(super) module: String,
    /// The language version, as its first two components.
    pub(super) go: Option<(u32, u32)>,
    /// Required modules with their versions.
    pub(super) require: Vec<(String, String)>,
    pub(super) replace: Vec<Replace>,
    /// The folders of a workspace.
    pub(super) uses: Vec<String>,
    /// Folders that patterns pass over.
    pub(super) ignore: Vec<String>,
}

/// `replace old [version] => new [version]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Replace {
    pub(super) old: String,
    /// The version that is replaced; `None` for all versions.
    pub(super) old_version: Option<String>,
    /// A module path, or a folder if there is no version.
    pub(super) new: String,
    pub(super) new_version: Option<String>,
}

/// Parses a module file; unknown directives and malformed lines are ignored.
pub(super) fn parse(text: &str) -> ModFile {
    let mut file = ModFile::default();
    let mut block: Option<String> = None;
    for line in text.lines() {
        let words = words(line);
        let mut words = words.iter().map(String::as_str);
        match (&block, words.clone().next()) {
            (_, None) => {}
            (Some(_), Some(")")) => block = None,
            (Some(directive), Some(_)) => {
                let rest: Vec<&str> = words.collect();
                file.add(directive, &rest);
            }
            (None, Some(directive)) => {
                words.next();
                let rest: Vec<&str> = words.collect();
                if rest == ["("] {
                    block = Some(directive.to_owned());
                } else {
                    file.add(directive, &rest);
                }
            }
        }
    }
    file
}

impl ModFile {
    fn add(&mut self, directive: &str, words: &[&str]) {
        let text = |word: &str| word.to_owned();
        match (directive, words) {
            ("module", [path, ..]) => self.module = text(path),
            ("go", [version, ..]) => self.go = go_version(version),
            ("use", [folder, ..]) => self.uses.push(text(folder)),
            ("ignore", [folder, ..]) => self.ignore.push(text(folder.trim_end_matches('/'))),
            ("require", [path, version, ..]) => self.require.push((text(path), text(version))),
            ("replace", words) => {
                let Some(arrow) = words.iter().position(|word| *word == "=>") else {
                    return;
                };
                let (old, new) = words.split_at(arrow);
                if let ([old, old_version @ ..], [_, new, new_version @ ..]) = (old, new) {
                    self.replace.push(Replace {
                        old: text(old),
                        old_version: old_version.first().map(|word| text(word)),
                        new: text(new),
                        new_version: new_version.first().map(|word| text(word)),
                    });
                }
            }
            _ => {}
        }
    }
}

fn go_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.');
    let major = numbers.next()?.parse().ok()?;
    let digits = numbers.next()?;
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let minor = digits.get(..end.unwrap_or(digits.len()))?.parse().ok()?;
    Some((major, minor))
}

/// The words of a line, without its comment; words may be quoted.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() && !rest.starts_with("//") {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '`'));
        let (word, behind) = if let Some(quote) = quote {
            let inner = rest.get(1..).unwrap_or_default();
            inner.split_once(quote).unwrap_or((inner, ""))
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')');
            let end = match end {
                Some(0) => 1,
                Some(end) => end,
                None => rest.len(),
            };
            rest.split_at_checked(end).unwrap_or((rest, ""))
        };
        words.push(word.to_owned());
        rest = behind.trim_start();
    }
    words
}

/// The module of each vendored package, by import path, with the module's version if there is one.
pub(super) fn vendored(text: &str) -> Vec<(String, String, Option<String>)> {
    let mut module = (String::new(), None);
    let mut packages = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let mut words = rest.split_whitespace();
            let path = words.next().unwrap_or_default().to_owned();
            let version = words.next().filter(|word| word.starts_with('v'));
            module = (path, version.map(str::to_owned));
        } else if !line.starts_with('#') && !line.trim().is_empty() {
            packages.push((line.trim().to_owned(), module.0.clone(), module.1.clone()));
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(path: &str, version: &str) -> (String, String) {
        (path.to_owned(), version.to_owned())
    }

    #[test]
    fn directives_stand_alone_or_in_blocks() {
        let file = parse(
            "module example.com/a // comment\n\ngo 1.22.1\ntoolchain go1.23\n\
             require k8s.io/api v0.30.0 // indirect\n\
             require (\n\tk8s.io/apimachinery v0.30.0\n\n\t\"quoted.example/x\" v1.0.0\n)\n\
             replace (\n\ta.example/x => ../x\n\ta.example/y v1.0.0 => b.example/y v1.2.0\n)\n\
             exclude a.example/z v1.0.0\nignore ./docs/\nignore (\n\tnode_modules\n)\n",
        );
        assert_eq!(file.ignore, ["./docs", "node_modules"]);
        assert_eq!(file.module, "example.com/a");
        assert_eq!(file.go, Some((1, 22)));
        assert_eq!(
            file.require,
            [
                pair("k8s.io/api", "v0.30.0"),
                pair("k8s.io/apimachinery", "v0.30.0"),
                pair("quoted.example/x", "v1.0.0"),
            ]
        );
        let replace =
            |old: &str, old_version: Option<&str>, new: &str, new_version: Option<&str>| Replace {
                old: old.to_owned(),
                old_version: old_version.map(str::to_owned),
                new: new.to_owned(),
                new_version: new_version.map(str::to_owned),
            };
        assert_eq!(
            file.replace,
            [
                replace("a.example/x", None, "../x", None),
                replace("a.example/y", Some("v1.0.0"), "b.example/y", Some("v1.2.0")),
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_passed_over() {
        assert_eq!(
            parse("replace a =>\nrequire a\n(((\n)\n\"open"),
            ModFile::default()
        );
        assert_eq!(parse("go next").go, None);
        assert_eq!(parse("go 1.23rc1").go, Some((1, 23)));
    }

    #[test]
    fn workspaces_use_folders() {
        assert_eq!(
            parse("go 1.22\nuse ./a\nuse (\n\t./b\n)\n").uses,
            ["./a", "./b"]
        );
    }

    #[test]
    fn vendored_packages_name_their_modules() {
        let text = "# k8s.io/api v0.30.0\n## explicit; go 1.22\nk8s.io/api/core/v1\n\
                    # a.example/x => ../x\na.example/x\n";
        assert_eq!(
            vendored(text),
            [
                (
                    "k8s.io/api/core/v1".to_owned(),
                    "k8s.io/api".to_owned(),
                    Some("v0.30.0".to_owned())
                ),
                ("a.example/x".to_owned(), "a.example/x".to_owned(), None),
            ]
        );
    }
}
