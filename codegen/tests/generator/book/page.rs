//! A page of Markdown: its blocks of code, its links and its headings.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::root;

pub(super) struct Page {
    /// The path from the root of the repository.
    pub(super) path: String,
    pub(super) text: String,
}

/// A fenced block of code.
pub(super) struct Block {
    pub(super) line: usize,
    pub(super) language: String,
    pub(super) code: String,
    /// The heading of level 2 that it is below.
    pub(super) section: String,
    /// The comment right above, without its marks.
    pub(super) comment: Option<String>,
}

/// A link to a place in the repository.
pub(super) struct Link {
    pub(super) line: usize,
    /// The path from the root of the repository.
    pub(super) file: String,
    pub(super) anchor: Option<String>,
}

impl Page {
    pub(super) fn read(path: &str) -> Self {
        let text = fs::read_to_string(root().join(path));
        Self {
            path: path.to_owned(),
            text: text.unwrap_or_else(|error| panic!("{path}: {error}")),
        }
    }

    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let (mut section, mut comment) = (String::new(), None);
        let mut lines = (1..).zip(self.text.lines());
        while let Some((line, text)) = lines.next() {
            if let Some(language) = text.trim_start().strip_prefix("```") {
                let code = lines.by_ref().map(|(_, text)| text);
                let code = code.take_while(|text| text.trim() != "```");
                blocks.push(Block {
                    line,
                    language: language.to_owned(),
                    code: code.map(|text| format!("{text}\n")).collect(),
                    section: section.clone(),
                    comment: comment.take(),
                });
            } else if let Some(heading) = text.strip_prefix("## ") {
                heading.clone_into(&mut section);
            } else if let Some(said) = comment_of(text) {
                let is_default = said.contains(" of this page: ");
                comment = (!is_default).then(|| said.to_owned());
            } else if !text.trim().is_empty() {
                comment = None;
            }
        }
        blocks
    }

    /// The comment that counts for the whole page: what follows `NAME of this page: `.
    pub(super) fn default_of(&self, name: &str) -> Option<&str> {
        let start = format!("{name} of this page: ");
        let mut comments = self.text.lines().filter_map(comment_of);
        comments.find_map(|comment| comment.strip_prefix(&*start))
    }

    /// The lines outside of blocks, without code spans.
    fn prose(&self) -> Vec<(usize, String)> {
        let mut is_code = false;
        let lines = (1..).zip(self.text.lines()).filter(|(_, text)| {
            let is_fence = text.trim_start().starts_with("```");
            is_code ^= is_fence;
            !is_code && !is_fence
        });
        lines
            .map(|(line, text)| (line, text.split('`').step_by(2).collect()))
            .collect()
    }

    pub(super) fn links(&self) -> Vec<Link> {
        let folder = Path::new(&self.path).parent().unwrap();
        let mut links = Vec::new();
        for (line, text) in self.prose() {
            for target in text.split("](").skip(1) {
                let target = target.split(')').next().unwrap();
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let (path, anchor) = match target.split_once('#') {
                    Some((path, anchor)) => (path, Some(anchor.to_owned())),
                    None => (target, None),
                };
                let file = match path {
                    "" => self.path.clone(),
                    path => normal(&folder.join(path)),
                };
                links.push(Link { line, file, anchor });
            }
        }
        links
    }

    /// The anchors of the headings, and those in HTML.
    pub(super) fn anchors(&self) -> Vec<String> {
        let mut is_code = false;
        let headings = self.text.lines().filter(|text| {
            is_code ^= text.trim_start().starts_with("```");
            !is_code && text.starts_with('#')
        });
        let mut anchors: Vec<String> = Vec::new();
        for heading in headings {
            let slug = slug(heading.trim_start_matches('#').trim());
            let same = anchors.iter().filter(|it| **it == slug).count();
            anchors.push(match same {
                0 => slug,
                _ => format!("{slug}-{same}"),
            });
        }
        let named = self.text.split(" id=\"").skip(1);
        anchors.extend(named.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        anchors
    }
}

fn comment_of(line: &str) -> Option<&str> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?;
    Some(inner.trim())
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn slug(heading: &str) -> String {
    // Of a link, the text.
    let text: String = heading
        .split("](")
        .enumerate()
        .map(|(index, part)| match index {
            0 => part,
            _ => part.split_once(')').map_or("", |(_, rest)| rest),
        })
        .collect();
    let kept = text.to_lowercase();
    let kept = kept
        .chars()
        .filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> String {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                assert!(parts.pop(), "{} leaves the repository", path.display());
            }
            Component::Normal(part) => parts.push(part),
            _ => {}
        }
    }
    parts.to_str().unwrap().replace('\\', "/")
}

#[test]
fn anchors_are_those_of_github() {
    for (heading, anchor) in [
        ("First minute: an operator", "first-minute-an-operator"),
        ("`init`, `create`", "init-create"),
        ("From [kopium](x.md)", "from-kopium"),
        ("snake_case & more", "snake_case--more"),
    ] {
        assert_eq!(slug(heading), anchor);
    }
}
