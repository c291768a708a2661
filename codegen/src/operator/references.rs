//! Uses of a deleted kind in remaining files: paths to its types and controller, calls of its
//! clients, and its sample.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    ExprMethodCall, Item, ItemUse, Macro, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

use super::{
    api::{Api, Part},
    edit::{EditError, parse, unraw},
};

/// A use of something to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its position, in bytes.
    pub range: Range<usize>,
    /// The name in use.
    pub name: String,
}

/// What is deleted: a kind with its controller, or a controller.
#[derive(Clone, Debug)]
pub struct Gone<'a> {
    api: Option<&'a Api>,
    /// The names of the kind's types.
    types: BTreeSet<String>,
    /// The method that returns the kind's clients.
    accessor: &'a str,
    controller: Option<&'a String>,
}

impl<'a> Gone<'a> {
    /// Determines what is deleted with a kind. `types` is the contents of the file with its types,
    /// `accessor` is the method that returns its clients.
    ///
    /// # Errors
    ///
    /// [`EditError::Syntax`].
    pub fn new(api: &'a Api, types: &str, accessor: &'a str) -> Result<Self, EditError> {
        let file = parse(types)?;
        let names = file.items.iter().filter_map(|item| match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Const(item) => Some(&item.ident),
            Item::Static(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            _ => None,
        });
        let types = names.map(unraw).collect();
        Ok(Self {
            api: Some(api),
            types,
            accessor,
            controller: api.controller.as_ref(),
        })
    }

    /// The deletion of a controller alone.
    #[must_use]
    pub const fn controller(name: &'a String) -> Self {
        Self {
            api: None,
            types: BTreeSet::new(),
            accessor: "",
            controller: Some(name),
        }
    }

    /// The uses in a file, in the order of their positions.
    ///
    /// # Errors
    ///
    /// [`EditError::Syntax`].
    pub fn references(&self, path: &Path, text: &str) -> Result<Vec<Reference>, EditError> {
        let file = parse(text)?;
        let version = self.api.and_then(|api| api.path(Part::Version));
        let mut folders = version.iter().flat_map(|file| file.ancestors()).skip(1);
        let mut is_in_next = || folders.next().is_some_and(|it| path.starts_with(it));
        let (in_version, in_group) = (is_in_next(), is_in_next());
        let mut search = Search {
            gone: self,
            in_group,
            in_version,
            sees_types: in_version,
            names_version: false,
            beside_controller: path.starts_with("src/controllers")
                || path.starts_with("tests/operator"),
            found: BTreeSet::new(),
        };
        let mut imports = Imports(Vec::new());
        imports.visit_file(&file);
        let is_glob = |path: &&Vec<String>| path.last().is_some_and(|name| name == "*");
        let globs: Vec<_> = imports.0.iter().filter(is_glob).collect();
        let all = "*".to_owned();
        let of_version = |glob: &&Vec<String>| search.after_version(glob) == Some(&all);
        search.sees_types |= globs.iter().any(of_version);
        search.names_version = imports.0.iter().any(|path| search.is_version(path));
        search.visit_file(&file);
        let found = search.found.into_iter();
        Ok(found
            .map(|(start, end, name)| Reference {
                range: start..end,
                name,
            })
            .collect())
    }
}

/// The paths of all imports of a file.
pub(super) fn imports(text: &str) -> Result<Vec<Vec<String>>, EditError> {
    let mut imports = Imports(Vec::new());
    imports.visit_file(&parse(text)?);
    Ok(imports.0)
}

/// The paths of all imports.
struct Imports(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        let mut paths = Vec::new();
        flatten(&import.tree, &mut Vec::new(), &mut paths);
        self.0.extend(paths.into_iter().map(|(path, _)| path));
    }
}

struct Search<'a> {
    gone: &'a Gone<'a>,
    /// Whether the file is in the kind's group, so that paths may omit it.
    in_group: bool,
    /// Whether the file is in the kind's version.
    in_version: bool,
    /// Whether the kind's types are in scope under their own names.
    sees_types: bool,
    /// Whether the module of the kind's version is imported under its own name.
    names_version: bool,
    /// Whether the kind's controller or its test is a sibling module of the file.
    beside_controller: bool,
    found: BTreeSet<(usize, usize, String)>,
}

impl Search<'_> {
    /// The path segment after the version's module.
    fn after_version<'p>(&self, path: &'p [String]) -> Option<&'p String> {
        let api = self.gone.api?;
        let (group, version) = (&api.group_module, &api.version);
        let at = path.iter().enumerate().position(|(at, name)| {
            let (before, _) = path.split_at(at);
            let after_group = before.last() == Some(group);
            let beside = self.in_group && before.iter().all(is_relative);
            let imported = self.names_version && at == 0;
            name == version && (after_group || beside || imported)
        })?;
        path.get(at + 1)
    }

    /// Whether a path is that of the version's module.
    fn is_version(&self, path: &[String]) -> bool {
        self.gone.api.is_some_and(|api| {
            matches!(path, [.., before, last] if *before == api.group_module && *last == api.version)
        })
    }

    /// The name in a path that is deleted.
    fn name_in(&self, path: &[String]) -> Option<String> {
        let Gone { api, types, .. } = self.gone;
        if let (Some(api), Some(next)) = (api, self.after_version(path)) {
            let is_gone = api.is_first_of_version || *next == api.module || types.contains(next);
            return is_gone.then(|| {
                if next == "*" {
                    api.version.clone()
                } else {
                    next.clone()
                }
            });
        }
        let mut rest = path.iter().skip_while(|name| is_relative(name));
        let first = rest.next()?;
        let is_module = self.in_version && api.is_some_and(|api| *first == api.module);
        if is_module || self.sees_types && types.contains(first) {
            return Some(first.clone());
        }
        let controller = self.gone.controller?;
        let of_module = path.iter().zip(path.iter().skip(1)).any(|(module, name)| {
            let is_parent = match module.as_str() {
                "controllers" => true,
                "super" | "crate" | "self" => self.beside_controller,
                _ => false,
            };
            is_parent && name == controller
        });
        let is_own = self.beside_controller && path.len() > 1 && first == controller;
        (of_module || is_own).then(|| controller.clone())
    }

    fn check(&mut self, path: &[String], at: Range<usize>) {
        if let Some(name) = self.name_in(path) {
            self.found.insert((at.start, at.end, name));
        }
    }

    /// Checks paths and string literals in a macro call, whose syntax is unknown.
    fn check_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut at = 0..0;
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    let range = ident.span().byte_range();
                    if colons != 2 {
                        self.check(&path, at.clone());
                        path.clear();
                        at = range.clone();
                    }
                    path.push(unraw(&ident));
                    at.end = range.end;
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    colons = 0;
                    self.check_tokens(group.stream());
                }
                TokenTree::Literal(literal) => {
                    colons = 0;
                    self.check_literal(&literal.to_string(), literal.span().byte_range());
                }
                TokenTree::Punct(_) => colons = 0,
            }
        }
        self.check(&path, at);
    }

    fn check_literal(&mut self, literal: &str, at: Range<usize>) {
        let sample: Option<PathBuf> = self.gone.api.and_then(|api| api.path(Part::Sample));
        let sample = sample.map(|path| path.to_string_lossy().into_owned());
        let text = literal.trim_matches('"');
        if let Some(sample) = sample.filter(|sample| text.ends_with(sample.as_str())) {
            self.found.insert((at.start, at.end, sample));
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| unraw(&segment.ident))
            .collect();
        self.check(&names, path.span().byte_range());
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, import: &'ast ItemUse) {
        let mut paths = Vec::new();
        flatten(&import.tree, &mut Vec::new(), &mut paths);
        let takes_version = self.gone.api.is_some_and(|api| api.is_first_of_version);
        for (path, at) in paths {
            // A glob import of a module that also has other kinds does not count as a use of this
            // one.
            match path.split_last() {
                Some((last, module)) if last == "*" && !takes_version => {
                    self.check(module, at);
                }
                _ => self.check(&path, at),
            }
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if let (Some(api), syn::Expr::MethodCall(receiver)) = (self.gone.api, &*call.receiver)
            && call.method == self.gone.accessor
            && (receiver.method == format!("{}_{}", api.group_module, api.version)
                || receiver.method == api.version)
        {
            let at = call.method.span().byte_range();
            self.found
                .insert((at.start, at.end, self.gone.accessor.to_owned()));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.check_tokens(call.tokens.clone());
    }
}

fn is_relative(name: &String) -> bool {
    name == "super" || name == "self"
}

/// Flattens an import to full paths, each with the position of its last segment.
fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, Range<usize>)>) {
    let mut end = |name: String, at: Range<usize>| {
        let mut path = path.clone();
        path.push(name);
        found.push((path, at));
    };
    match tree {
        UseTree::Path(inner) => {
            path.push(unraw(&inner.ident));
            flatten(&inner.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) => end(unraw(&name.ident), name.span().byte_range()),
        UseTree::Rename(rename) => end(unraw(&rename.ident), rename.span().byte_range()),
        UseTree::Glob(glob) => end("*".to_owned(), glob.span().byte_range()),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, path, found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(is_first_of_version: bool) -> Api {
        Api {
            is_first_of_version,
            ..Api::widget("v1")
        }
    }

    #[track_caller]
    fn check_all(api: &Api, path: &str, text: &str, expected: &[&str]) {
        let gone = Gone::new(api, "pub struct Widget; pub enum Mode {}", "widgets").unwrap();
        let found = gone.references(Path::new(path), text).unwrap();
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, expected, "{text}");
        for found in found {
            assert!(text.get(found.range).is_some());
        }
    }

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        check_all(&api(false), path, text, expected);
    }

    #[test]
    fn types_are_found_by_their_paths() {
        let other = "src/other.rs";
        rows![check:
            (other, "use crate::apis::batch::v1::{Widget, Gadget};", &["Widget"]),
            (other, "fn f(_: &crate::apis::batch::v1::Mode) {}", &["Mode"]),
            (other, "use crate::apis::batch::v1::*; fn f(_: Widget) {}", &["Widget"]),
            (other, "use crate::apis::batch::v1; fn f(_: v1::Gadget) {}", &[]),
            (other, "use crate::apis::batch::{v1, v2}; fn f(_: v1::Widget, _: v2::Widget) {}", &["Widget"]),
            (other, "use crate::apis::cache::v1; fn f(_: v1::Widget) {}", &[]),
            (other, "use crate::apis::cache::v1::Widget; use crate::apis::batch::v2::Widget as W;", &[]),
            (other, "struct Widget; fn f(_: Widget) {}", &[]),
            (other, "fn f() { vec![crate::apis::batch::v1::Widget::default()]; }", &["Widget"]),
        ];
    }

    #[test]
    fn neighbours_see_types_by_their_names() {
        check(
            "src/apis/batch/v1/gadget.rs",
            "use super::Mode; struct A(Widget);",
            &["Mode", "Widget"],
        );
        check(
            "src/apis/batch/v2/widget.rs",
            "use a::v1::Widget; impl From<super::super::v1::Widget> for W {}",
            &["Widget"],
        );
    }

    #[test]
    fn controllers_clients_and_samples_are_found() {
        rows![check:
            ("src/app.rs", "fn f() { crate::controllers::widget::add(); }", &["widget"]),
            ("src/controllers/gadget.rs", "use super::widget::add;", &["widget"]),
            ("tests/operator/gadget.rs", "fn f() { crate::widget::api(); }", &["widget"]),
            ("src/a.rs", "fn f(c: C) { c.batch_v1().widgets(\"a\"); c.batch_v2().widgets(\"a\"); }",
                &["widgets"]),
            ("src/a.rs", "const A: &str = include_str!(\"../config/samples/widget.yaml\");",
                &["config/samples/widget.yaml"]),
            ("src/a.rs", "fn widget() { let widget = 1; widget.widgets(); }", &[]),
        ];
    }

    #[test]
    fn a_controller_alone_is_used_by_its_own_paths() {
        let name = "widget".to_owned();
        let gone = Gone::controller(&name);
        let text = "use crate::apis::batch::v1::Widget; use crate::controllers::{gadget, widget::add};\n\
                    fn f(c: C) { c.batch_v1().widgets(\"a\"); crate::controllers::widget::add(); }";
        let found = gone.references(Path::new("src/a.rs"), text).unwrap();
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["widget", "widget"]);
    }

    #[test]
    fn the_last_kind_takes_its_version_along() {
        let last = api(true);
        check_all(&last, "src/a.rs", "use crate::apis::batch::v1::*;", &["v1"]);
        check_all(
            &last,
            "src/a.rs",
            "use crate::apis::batch::v1::zz_generated_register;",
            &["zz_generated_register"],
        );
    }
}
