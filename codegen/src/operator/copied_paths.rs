//! Paths in the types of a version that are copied into another version of their group.
//!
//! `super::Shared` leads to another item of the version that a copy was made from, so the copy
//! names that version: `super::super::v1alpha1::Shared`. Paths to what is copied too, or to what
//! the new version has itself, stay.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Item, ItemMod, ItemUse, Macro, UseTree,
    visit::{self, Visit},
};

use super::{
    Api,
    edit::{EditError, parse, range, unraw},
    lines::line_start,
};

/// The items of the versions that a copy is made from and to, apart from the copied ones.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    /// The types of the version that is copied, each with its modules, that are visible in the
    /// version's module.
    pub old: BTreeMap<String, Vec<String>>,
    /// The names of types and modules of the new version.
    pub new: BTreeSet<String>,
}

/// A segment of a path, with its position.
type Segment = (String, Range<usize>);

/// Changes the paths of a file of types that is copied from one version of a kind to another.
///
/// # Errors
///
/// [`EditError::Syntax`].
pub(super) fn moved(
    text: &str,
    (from, to): (&Api, &Api),
    neighbours: &Neighbours,
) -> Result<String, EditError> {
    let file = parse(text)?;
    let declared = file.items.iter().filter_map(name_of);
    let mut paths = Paths {
        text,
        from,
        to,
        neighbours,
        kept: declared.chain([from.module.clone()]).collect(),
        depth: 0,
        used: BTreeSet::new(),
        globs: Vec::new(),
        edits: BTreeMap::new(),
    };
    paths.visit_file(&file);
    paths.expand_globs();
    let mut text = text.to_owned();
    for ((start, end), with) in paths.edits.into_iter().rev() {
        text.replace_range(start..end, &with);
    }
    Ok(text)
}

fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Struct(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Const(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Mod(item) => &item.ident,
        _ => return None,
    };
    Some(unraw(ident))
}

struct Paths<'a> {
    text: &'a str,
    from: &'a Api,
    to: &'a Api,
    neighbours: &'a Neighbours,
    /// The names in the version's module that are copied.
    kept: BTreeSet<String>,
    /// The number of modules of the file around the current item.
    depth: usize,
    /// The first names of all paths.
    used: BTreeSet<String>,
    /// The glob imports of items of the version: the import, its depth and the modules below the
    /// version's.
    globs: Vec<(ItemUse, usize, Vec<String>)>,
    edits: BTreeMap<(usize, usize), String>,
}

impl Paths<'_> {
    /// The segments below the version's module, if the path leads there by `super`.
    fn below_version<'s>(&self, path: &'s [Segment]) -> Option<&'s [Segment]> {
        let path = match path {
            [(first, _), rest @ ..] if first == "self" => rest,
            path => path,
        };
        let ups = path.iter().take_while(|(name, _)| name == "super").count();
        let below = path.get(ups..)?;
        (ups == self.depth + 1 && !below.is_empty()).then_some(below)
    }

    fn is_kept(&self, name: &str) -> bool {
        name.starts_with("zz_generated_")
            || self.kept.contains(name)
            || self.neighbours.new.contains(name)
    }

    /// The path of the old version's module from a depth.
    fn old_version(&self, depth: usize) -> String {
        format!("{}{}", "super::".repeat(depth + 2), self.from.version)
    }

    /// The part of a path to replace, and what to write instead: the path to the old version, or
    /// the name of the new one.
    fn change(&self, path: &[Segment]) -> Option<(Range<usize>, String)> {
        if let Some((version, next)) = self.copied(path) {
            return Some((version.start..next.start, format!("{}::", self.to.version)));
        }
        let below = self.below_version(path)?;
        let (first, _) = below.first()?;
        if self.is_kept(first) {
            return None;
        }
        // Modules of the other version may be private, unlike types that it exports.
        let exported = below.iter().position(|(name, _)| {
            let modules = self.neighbours.old.get(name);
            modules.is_some_and(|modules| {
                let before = below.iter().map(|(name, _)| name);
                before.take(modules.len()).eq(modules)
                    && below.get(modules.len()).is_some_and(|(at, _)| at == name)
            })
        });
        let (_, start) = path.first()?;
        let (_, next) = below.get(exported.unwrap_or(0))?;
        let prefix = self.old_version(self.depth) + "::";
        Some((start.start..next.start, prefix))
    }

    /// The positions of the old version and the next segment, if the path leads from the crate to
    /// what is copied.
    fn copied<'s>(&self, path: &'s [Segment]) -> Option<(&'s Range<usize>, &'s Range<usize>)> {
        let Api {
            group_module,
            version,
            ..
        } = self.from;
        let [before @ .., (_, at), (name, next)] = path.get(..5)? else {
            return None;
        };
        let names = before.iter().map(|(name, _)| name.as_str());
        let is_version = names.eq(["crate", "apis", group_module.as_str()])
            && path.get(3).is_some_and(|(name, _)| name == version);
        (is_version && self.kept.contains(name)).then_some((at, next))
    }

    fn path(&mut self, path: &[Segment]) {
        if let Some((range, with)) = self.change(path) {
            self.edits.insert((range.start, range.end), with);
        } else if let Some((first, _)) = path.first() {
            self.used.insert(first.clone());
        }
    }

    /// Changes the paths in tokens whose syntax is unknown; within attributes, also paths in
    /// strings.
    fn tokens(&mut self, tokens: TokenStream, is_attribute: bool) {
        let mut path: Vec<Segment> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.path(&std::mem::take(&mut path));
                    }
                    path.push((unraw(&ident), ident.span().byte_range()));
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Punct(_) => colons = 0,
                TokenTree::Group(group) => {
                    colons = 0;
                    self.tokens(group.stream(), is_attribute);
                }
                TokenTree::Literal(literal) => {
                    colons = 0;
                    if is_attribute {
                        self.string(&literal.to_string(), literal.span().byte_range().start);
                    }
                }
            }
        }
        self.path(&path);
    }

    /// Changes the first path in a string of an attribute, such as `default = "super::port"`.
    fn string(&mut self, literal: &str, start: usize) {
        let inner = literal.strip_prefix('"');
        let Some(inner) = inner.and_then(|it| it.strip_suffix('"')) else {
            return;
        };
        let mut at = start + 1;
        let mut path = Vec::new();
        for name in inner.split("::") {
            let length = name.find(|c: char| !c.is_alphanumeric() && c != '_');
            let ident = &name[..length.unwrap_or(name.len())];
            path.push((ident.to_owned(), at..at + ident.len()));
            if length.is_some() {
                break;
            }
            at += name.len() + "::".len();
        }
        if path.len() > 1 {
            self.path(&path);
        }
    }

    /// Replaces an import of which only a part leads to the old version by an import for each name.
    fn split(&mut self, import: &ItemUse, leaves: &[Leaf]) {
        let lines = leaves.iter().map(|leaf| {
            let change = self.change(&leaf.path);
            let (range, with) = change.unwrap_or_else(|| (0..0, String::new()));
            let mut path = String::new();
            for (_, at) in leaf.path.iter().filter(|(_, at)| at.end <= range.start) {
                path = path + &self.text[at.clone()] + "::";
            }
            let rest = leaf.path.iter().filter(|(_, at)| at.start >= range.end);
            let rest: Vec<&str> = rest.map(|(_, at)| &self.text[at.clone()]).collect();
            path = path + &with + &rest.join("::");
            path + &leaf.suffix
        });
        let lines = lines.collect();
        self.replace(import, lines);
    }

    /// Replaces an import by others with its attributes and visibility.
    fn replace(&mut self, import: &ItemUse, paths: Vec<String>) {
        let whole = range(import);
        let head = &self.text[whole.start..range(&import.use_token).start];
        let indent = line_start(self.text, whole.start).unwrap_or(whole.start);
        let indent = &self.text[indent..whole.start];
        let newline = if self.text.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let lines = paths.iter().map(|path| format!("{head}use {path};"));
        let lines: Vec<String> = lines.collect();
        let lines = lines.join(&format!("{newline}{indent}"));
        self.edits.insert((whole.start, whole.end), lines);
    }

    /// Adds imports of the names that glob imports of the old version brought into scope.
    fn expand_globs(&mut self) {
        for (import, depth, modules) in std::mem::take(&mut self.globs) {
            let old = self.neighbours.old.iter();
            let names = old.filter(|(name, found)| {
                found.starts_with(&modules) && self.used.contains(*name) && !self.is_kept(name)
            });
            let version = self.old_version(depth);
            let mut paths: Vec<String> = names
                .map(|(name, _)| format!("{version}::{name}"))
                .collect();
            if paths.is_empty() {
                continue;
            }
            let mut rest = self.used.intersection(&self.neighbours.new);
            if modules.is_empty() && rest.any(|name| !self.kept.contains(name)) {
                paths.push(format!("{}*", "super::".repeat(depth + 1)));
            }
            self.replace(&import, paths);
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path
            .segments
            .iter()
            .map(|segment| segment_of(&segment.ident));
        self.path(&segments.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        for attribute in &import.attrs {
            self.visit_attribute(attribute);
        }
        let mut leaves = Vec::new();
        flatten(&import.tree, &mut Vec::new(), &mut leaves);
        let changed = leaves.iter().filter(|it| self.change(&it.path).is_some());
        match (changed.count(), leaves.as_slice()) {
            (0, _) => {}
            (_, [leaf]) if leaf.suffix != "::*" => return self.path(&leaf.path),
            (_, [_]) => {}
            _ => return self.split(import, &leaves),
        }
        if let [leaf] = leaves.as_slice()
            && leaf.suffix == "::*"
        {
            let mut path = leaf.path.clone();
            // The name that the glob stands for.
            path.push(("*".to_owned(), 0..0));
            if let Some([modules @ .., _]) = self.below_version(&path) {
                let modules = modules.iter().map(|(name, _)| name.clone());
                let modules = modules.collect();
                self.globs.push((import.clone(), self.depth, modules));
            }
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone(), false);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone(), true);
        }
    }
}

fn segment_of(ident: &syn::Ident) -> Segment {
    (unraw(ident), ident.span().byte_range())
}

/// One name of an import: its path, and what follows it, such as ` as Name`.
struct Leaf {
    path: Vec<Segment>,
    suffix: String,
}

fn flatten(tree: &UseTree, path: &mut Vec<Segment>, leaves: &mut Vec<Leaf>) {
    let mut end = |last: Option<Segment>, suffix: String| {
        let path = path.iter().cloned().chain(last).collect();
        leaves.push(Leaf { path, suffix });
    };
    match tree {
        UseTree::Path(inner) => {
            path.push(segment_of(&inner.ident));
            flatten(&inner.tree, path, leaves);
            path.pop();
        }
        // `use a::{self}` imports `a`.
        UseTree::Name(name) if name.ident == "self" => end(None, String::new()),
        UseTree::Name(name) => end(Some(segment_of(&name.ident)), String::new()),
        UseTree::Rename(rename) => {
            let last = Some(&rename.ident).filter(|ident| *ident != "self");
            end(last.map(segment_of), format!(" as {}", rename.rename));
        }
        UseTree::Glob(_) => end(None, "::*".to_owned()),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, path, leaves);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let own = "struct Widget;\nstruct Own;\n";
        let neighbours = Neighbours {
            old: [
                ("Shared".to_owned(), vec!["shared".to_owned()]),
                ("Other".to_owned(), vec!["shared".to_owned()]),
                ("Both".to_owned(), Vec::new()),
            ]
            .into(),
            new: ["Both".to_owned(), "gadget".to_owned(), "Widget".to_owned()].into(),
        };
        let (from, to) = (Api::widget("v1alpha1"), Api::widget("v1"));
        let moved = moved(&format!("{own}{text}"), (&from, &to), &neighbours).unwrap();
        assert_eq!(moved, format!("{own}{expected}"), "{text}");
    }

    #[test]
    fn paths_lead_to_the_items_of_the_old_version() {
        rows![check:
            ("struct A { a: super::Shared, b: Vec<super::Shared> }",
                "struct A { a: super::super::v1alpha1::Shared, b: Vec<super::super::v1alpha1::Shared> }"),
            ("struct A { a: super::Own, b: super::Both, c: super::gadget::G, d: super::widget::Own, e: self::Own }",
                "struct A { a: super::Own, b: super::Both, c: super::gadget::G, d: super::widget::Own, e: self::Own }"),
            ("struct A { a: super::super::v1beta1::X, b: crate::apis::batch::v1alpha1::Shared }",
                "struct A { a: super::super::v1beta1::X, b: crate::apis::batch::v1alpha1::Shared }"),
            ("struct A { a: crate::apis::batch::v1alpha1::Own }", "struct A { a: crate::apis::batch::v1::Own }"),
            ("struct A { a: super::shared::Shared, b: super::hidden::X }",
                "struct A { a: super::super::v1alpha1::Shared, b: super::super::v1alpha1::hidden::X }"),
            ("mod a { fn f() { super::super::helper(super::Own) } }",
                "mod a { fn f() { super::super::super::v1alpha1::helper(super::Own) } }"),
            ("fn f() { assert!(super::helper(\"super::x\"), super::MAX) }",
                "fn f() { assert!(super::super::v1alpha1::helper(\"super::x\"), super::super::v1alpha1::MAX) }"),
            ("struct A { #[serde(default = \"super::five\", with = \"super::Own\")] a: i32 }",
                "struct A { #[serde(default = \"super::super::v1alpha1::five\", with = \"super::Own\")] a: i32 }"),
            ("struct A { #[schemars(with = \"super::List<i32>\", range(max = super::MAX))] a: i32 }",
                "struct A { #[schemars(with = \"super::super::v1alpha1::List<i32>\", range(max = super::super::v1alpha1::MAX))] a: i32 }"),
            ("use super::zz_generated_register::kind;", "use super::zz_generated_register::kind;"),
        ];
    }

    #[test]
    fn imports_lead_to_the_items_of_the_old_version() {
        rows![check:
            ("use super::Shared;\n", "use super::super::v1alpha1::Shared;\n"),
            ("pub use super::{shared::Shared as S, Other};\n",
                "pub use super::super::v1alpha1::Shared as S;\npub use super::super::v1alpha1::Other;\n"),
            ("#[cfg(unix)]\r\nuse super::{Own, Shared};\r\n",
                "#[cfg(unix)]\r\nuse super::Own;\r\n#[cfg(unix)]\r\nuse super::super::v1alpha1::Shared;\r\n"),
            ("use {super::Shared, std::fmt::{self, Debug}};\n",
                "use super::super::v1alpha1::Shared;\nuse std::fmt;\nuse std::fmt::Debug;\n"),
            ("use super::*;\nstruct A(Shared, Own);\n",
                "use super::super::v1alpha1::Shared;\nstruct A(Shared, Own);\n"),
            ("use super::*;\nstruct A(Shared, Both);\n",
                "use super::super::v1alpha1::Shared;\nuse super::*;\nstruct A(Shared, Both);\n"),
            ("use super::shared::*;\nstruct A(Shared, Other);\n",
                "use super::super::v1alpha1::Other;\nuse super::super::v1alpha1::Shared;\nstruct A(Shared, Other);\n"),
            ("use super::*;\nstruct A(Own);\n", "use super::*;\nstruct A(Own);\n"),
            ("mod tests {\n    use super::*;\n    fn f(_: Own) {}\n}\n", "mod tests {\n    use super::*;\n    fn f(_: Own) {}\n}\n"),
        ];
    }
}
