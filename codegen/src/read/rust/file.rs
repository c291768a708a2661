//! Reads one file in parts: its header, its items, and the comments between them.

use std::{ops::Range, sync::Arc};

use syn::{Attribute, spanned::Spanned};

use super::{
    code::SchemaFunction,
    comments::Comments,
    conditions::cfg,
    delimiters::unbalanced,
    docs,
    features::{self, Features},
    item::{Impl, Item, LeftOut},
    literal::Literal,
    modules::Module,
    predicate::Predicate,
    scan,
    syntax::mentions_kinds,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    read::markers::{self, IgnoredMarkers, MarkerSet, RawMarker, Target},
    source::Source,
};

/// What a file adds to its package.
#[derive(Debug, Default)]
pub(super) struct FileItems {
    /// The modules, with paths relative to the version's; the first is the file's own.
    pub(super) modules: Vec<Module>,
    /// The types; their module indices start at this file's first module.
    pub(super) items: Vec<Item>,
    /// The traits implemented by hand.
    pub(super) impls: Vec<Impl>,
    /// Package markers from `mod.rs`; its documentation is in `docs`.
    pub(super) package: MarkerSet,
    /// Documentation of the module.
    pub(super) docs: String,
    /// The values of constants and functions.
    pub(super) values: Vec<(usize, String, Literal)>,
    /// The schemas that functions return.
    pub(super) codes: Vec<(usize, String, SchemaFunction)>,
    /// What functions of one value decide.
    pub(super) predicates: Vec<(usize, String, Predicate)>,
    /// Whether there are macro calls among the items.
    pub(super) has_macros: bool,
    /// The macros that declare kinds, which are not expanded.
    pub(super) macros: Vec<Place>,
    /// What seems to declare kinds, and is left out because of features.
    pub(super) off: Vec<LeftOut>,
}

/// Reads a file; returns `None` if it cannot be parsed.
pub(super) fn read_file(
    file: &Source,
    path: Vec<String>,
    (ignored, features): (IgnoredMarkers<'_>, Features<'_>),
    diagnostics: &mut Diagnostics,
) -> Option<FileItems> {
    let name: Arc<str> = Arc::from(file.name.as_str());
    let scan = scan::scan(&file.text);
    let comments = Comments::new(name, Arc::clone(&file.text), scan.comments, ignored);
    if let Some(at) = scan.too_deep {
        let place = comments.place(at..at);
        diagnostics.push(Diagnostic::error("the source is nested too deeply").at(place, "here"));
        return None;
    }
    let base = prefix(&file.text);
    // A wrong cut shows as a parse error in one of the parts; the file is then parsed as a whole.
    let cuts = cuts(&scan.ends);
    let read = |cuts| read_parts(comments.clone(), (base, cuts), &path, features);
    match read(&cuts).or_else(|_| read(&[])) {
        Ok((items, found)) => {
            diagnostics.extend(found);
            Some(items)
        }
        Err(_) if scan.unbalanced.is_some() => {
            diagnostics.extend(unbalanced(scan.unbalanced, &comments));
            None
        }
        Err(error) => {
            for error in error {
                let range = error.span().byte_range();
                let range = range.start + base..range.end + base;
                let docs = comments.docs_at(range.start).and_then(<[_]>::first);
                let place = comments.place(docs.map_or(range, |docs| docs.range.clone()));
                diagnostics.push(Diagnostic::error(error.to_string()).at(place, "not Rust"));
            }
            None
        }
    }
}

/// The minimum size of a part in bytes, such that its tree fits in the processor's cache.
const PART_BYTES: usize = 8 * 1024;

/// Selects the ends of items at which to cut a file.
fn cuts(ends: &[usize]) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut start = 0;
    for &end in ends {
        if end - start >= PART_BYTES {
            cuts.push(end);
            start = end;
        }
    }
    cuts
}

/// Parses and reads a file from a byte on, part by part: the trees are small, and each is dropped
/// before the next is built.
fn read_parts(
    comments: Comments,
    (base, cuts): (usize, &[usize]),
    path: &[String],
    features: Features<'_>,
) -> syn::Result<(FileItems, Diagnostics)> {
    let ends = cuts.iter().copied().chain([comments.text().len()]);
    let mut reader = FileReader::new(comments, base, path, features);
    let mut start = base;
    for end in ends {
        let text = reader.comments.without_docs(start..end);
        let mut tree = syn::parse_str::<syn::File>(&text)?;
        features::settle(&mut tree.items, features);
        reader.part(start, &tree)?;
        start = end;
    }
    Ok(reader.finish())
}

/// Returns the length of the prefix that the parser does not accept: a byte order mark and a `#!`
/// line.
fn prefix(text: &str) -> usize {
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = &text[bom..];
    if rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[') {
        bom + rest.find('\n').unwrap_or(rest.len())
    } else {
        bom
    }
}

/// A module before its items are known.
pub(super) struct ModuleHead {
    pub(super) path: Vec<String>,
    pub(super) visible: bool,
    pub(super) public: bool,
    pub(super) cfg: Vec<String>,
    pub(super) place: Place,
}

/// Reads one file, part by part.
pub(super) struct FileReader<'a> {
    pub(super) comments: Comments,
    /// The offset of the parsed part in the file.
    pub(super) base: usize,
    /// The path of the file's module; empty for the version's own `mod.rs`.
    path: Vec<String>,
    features: Features<'a>,
    /// The end of what has been read.
    read_to: usize,
    /// Whether an item has been read.
    pub(super) has_items: bool,
    /// The version of the kinds in a module with `#[versioned]`.
    pub(super) version: Option<String>,
    pub(super) diagnostics: Diagnostics,
    pub(super) out: FileItems,
}

impl<'a> FileReader<'a> {
    /// Creates a reader that starts at a byte of a file.
    pub(super) fn new(
        comments: Comments,
        from: usize,
        path: &[String],
        features: Features<'a>,
    ) -> Self {
        Self {
            comments,
            base: from,
            path: path.to_vec(),
            features,
            read_to: from,
            has_items: false,
            version: None,
            diagnostics: Diagnostics::new(),
            out: FileItems::default(),
        }
    }

    /// Reads a part that starts at byte `base`.
    ///
    /// # Errors
    ///
    /// The part has inner attributes of the file and is not the first.
    pub(super) fn part(&mut self, base: usize, part: &syn::File) -> syn::Result<()> {
        self.base = base;
        match part.attrs.first() {
            _ if self.out.modules.is_empty() => self.header(part),
            None => {}
            Some(attribute) => {
                return Err(syn::Error::new_spanned(
                    attribute,
                    "not at the file's start",
                ));
            }
        }
        self.read_to = self.items(&part.items, 0, self.read_to);
        Ok(())
    }

    /// Returns the items and the findings.
    pub(super) fn finish(mut self) -> (FileItems, Diagnostics) {
        self.rest();
        self.comments.report_rest(&mut self.diagnostics);
        (self.out, self.diagnostics)
    }

    /// Whether features leave out what has these attributes.
    pub(super) fn is_off(&self, attributes: &[Attribute]) -> bool {
        features::is_off(attributes, self.features)
    }

    /// Whether a range of the file seems to declare kinds.
    pub(super) fn declares_kinds(&self, range: &Range<usize>) -> bool {
        let text = self.comments.text().get(range.clone());
        text.is_some_and(mentions_kinds)
    }

    /// Whether this is the version's own `mod.rs`.
    pub(super) fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    pub(super) fn range(&self, node: &impl Spanned) -> std::ops::Range<usize> {
        let range = node.span().byte_range();
        range.start + self.base..range.end + self.base
    }

    /// Returns the byte range of an attribute or doc comment.
    pub(super) fn attribute(&self, attribute: &Attribute) -> Range<usize> {
        docs::place(attribute, &self.comments, self.base)
    }

    pub(super) fn place(&self, node: &impl Spanned) -> Place {
        self.comments.place(self.range(node))
    }

    /// Reads the file's module, and the comments in and above `//!` lines.
    fn header(&mut self, file: &syn::File) {
        let end = file.attrs.last();
        let end = end.map_or(self.base, |attribute| self.attribute(attribute).end);
        let (docs, hidden) = docs::read(&file.attrs, &self.comments, self.base);
        let mut raws = self.comments.markers_in(self.base..end);
        raws.extend(hidden);
        self.package(raws);
        self.out.docs = docs;
        self.module(ModuleHead {
            path: self.path.clone(),
            visible: true,
            public: true,
            cfg: cfg(&file.attrs),
            place: self.comments.place(self.base..self.base),
        });
        self.read_to = end;
    }

    /// Returns the documentation of a type or of a part of it, and the markers in attributes. Warns
    /// of text that a macro returns.
    pub(super) fn docs(&mut self, attributes: &[Attribute]) -> (String, Vec<RawMarker>) {
        for attribute in attributes.iter().filter(|it| docs::is_computed(it)) {
            let place = self.comments.place(self.attribute(attribute));
            self.diagnostics.push(
                Diagnostic::warning("documentation that a macro returns is not read")
                    .at(place, "missing from descriptions")
                    .help("write the text in doc comments (`/// …`)"),
            );
        }
        docs::read(attributes, &self.comments, self.base)
    }

    /// Assigns comments after the last item, or of a file without items, to the package.
    fn rest(&mut self) {
        let end = self.comments.text().len();
        let raws = self.comments.markers_in(self.read_to..end);
        if self.has_items {
            self.free(raws);
        } else {
            self.package(raws);
        }
    }

    /// Reads markers in a place that belongs to the package.
    pub(super) fn package(&mut self, raws: Vec<RawMarker>) {
        if !self.is_root() {
            return self.free(raws);
        }
        for raw in raws {
            let marker = markers::parse(&raw, Target::Package, &mut self.diagnostics);
            self.out.package.0.extend(marker);
        }
    }

    /// Reads markers without an owner: only rules and webhooks are allowed there.
    pub(super) fn free(&mut self, raws: Vec<RawMarker>) {
        for raw in raws {
            match raw.parse() {
                Ok(marker) if marker.def.stands_anywhere() => self.out.package.0.push(marker),
                Ok(marker) => self.diagnostics.push(markers::misplaced(
                    &marker,
                    "here, apart from the declaration that it marks",
                )),
                Err(error) => self.diagnostics.push(error),
            }
        }
    }

    /// Adds a module, and returns its index.
    pub(super) fn module(&mut self, head: ModuleHead) -> usize {
        let module = self.out.modules.len();
        self.out.modules.push(Module {
            path: head.path,
            from_file: module == 0,
            visible: head.visible,
            public: head.public,
            cfg: head.cfg,
            place: head.place,
            uses: Vec::new(),
            declared: Vec::new(),
            tests: Vec::new(),
            off: Vec::new(),
            in_macros: Vec::new(),
        });
        module
    }

    /// Reads the markers of one declaration; on a type, markers that are allowed anywhere go to the
    /// package.
    pub(super) fn markers(&mut self, raws: Vec<RawMarker>, target: Target) -> MarkerSet {
        let mut set = MarkerSet::default();
        for raw in raws {
            match raw.parse() {
                Ok(marker) if target == Target::Type && marker.def.stands_anywhere() => {
                    self.out.package.0.push(marker);
                }
                _ => set
                    .0
                    .extend(markers::parse(&raw, target, &mut self.diagnostics)),
            }
        }
        set.check(&mut self.diagnostics);
        set
    }

    pub(super) fn report<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        let errors = match result {
            Ok(read) => return Some(read),
            Err(errors) => errors,
        };
        for error in errors {
            let range = error.span().byte_range();
            let place = self
                .comments
                .place(range.start + self.base..range.end + self.base);
            self.diagnostics
                .push(Diagnostic::error(error.to_string()).at(place, ""));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: &str =
        include_str!("../../../../testdata/apis/kubederive/src/apis/documents/v1/types.rs");

    /// Reads a text cut at every item end that the scanner finds.
    fn read_cut(text: &str) -> syn::Result<(FileItems, Diagnostics)> {
        let scan = scan::scan(text);
        let comments = Comments::new(
            "a.rs".into(),
            text.into(),
            scan.comments,
            IgnoredMarkers(&[]),
        );
        read_parts(comments, (prefix(text), &scan.ends), &[], None)
    }

    fn read_whole(text: &str) -> Option<(FileItems, Diagnostics)> {
        let file = Source::new("a.rs", text);
        let mut found = Diagnostics::new();
        let items = read_file(&file, Vec::new(), (IgnoredMarkers(&[]), None), &mut found)?;
        Some((items, found))
    }

    #[test]
    fn a_file_is_the_same_whole_and_in_parts() {
        let texts = [
            "",
            "//! Docs.\n// +groupName=a.b\n",
            "#!/bin/x\n//! Docs é.\n#![allow(x)]\n\n// +kubebuilder:skip\n\n/// A.\nstruct A; // +b\nmod b { /// B.\n struct B {} struct C; }\n// +kubebuilder:rbac:urls=/a,verbs=get\n",
            "/// A.\nenum A { /* } */ B { b: u8 }, C }\n/// D é.\n/// More.\n#[serde(rename = \"}\")]\nstruct D(u8);\nuse a::{b, c};\nx! { }\nx!();\nimpl A { const B: u8 = 1; }",
            TYPES,
        ];
        for text in texts {
            let whole = read_whole(text).unwrap_or_else(|| panic!("not Rust: {text}"));
            let parts = read_cut(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(format!("{parts:?}"), format!("{whole:?}"), "{text}");
        }
    }

    #[test]
    fn what_is_no_end_of_an_item_cuts_no_file() {
        let filler = format!("/// {}\n", "x".repeat(100)).repeat(PART_BYTES / 100);
        let texts = [
            "struct A<const N: u8 = { 3 }> {}",
            "const A: u8 = match b { c => { 1 } d => { 2 } };",
            "const A: u8 = if true { 1 } else { 2 };",
        ];
        for text in texts {
            let (before, after) = text.split_at(text.find('}').unwrap_or_default() + 1);
            let text = format!("{filler}{before}\n/* {filler} */ {after}\n{filler}struct Last;");
            let (read, _) = read_whole(&text).unwrap_or_else(|| panic!("not Rust: {text}"));
            let names: Vec<_> = read.items.iter().map(|item| &item.name).collect();
            assert_eq!(
                names.last().map(|name| name.as_str()),
                Some("Last"),
                "{text}"
            );
        }
    }

    #[test]
    fn text_and_types_of_other_files_are_warned_of() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let (_, found) = read_whole(text).unwrap_or_else(|| panic!("not Rust: {text}"));
            let found: Vec<_> = found
                .as_slice()
                .iter()
                .map(|it| (it.message.as_str(), &text[it.labels[0].place.range.clone()]))
                .collect();
            assert_eq!(found, expected, "{text}");
        };
        let docs = "documentation that a macro returns is not read";
        let of_a_file = "#[doc = include_str!(\"a.md\")]";
        let joined = "#[doc = concat!(\"a\", \"b\")]";
        check(
            &format!("/// A é.\n{of_a_file}\nstruct A;"),
            &[(docs, of_a_file)],
        );
        check(&format!("struct A {{ {joined} a: u8 }}"), &[(docs, joined)]);
        check(&format!("enum A {{ {of_a_file} A }}"), &[(docs, of_a_file)]);
        // Not part of a description.
        check(
            "#![doc = include_str!(\"a.md\")]\n#[doc(hidden)] #[doc = \"a\"] struct A;",
            &[],
        );
        check(&format!("{of_a_file} fn a() {{}}"), &[]);
        let types = "the types in a.rs are not read";
        for call in ["include!(\"a.rs\")", "std::include! { r\"a.rs\" }"] {
            let text = format!(
                "mod a {{ {call}{} }}",
                if call.ends_with(')') { ";" } else { "" }
            );
            check(&text, &[(types, call)]);
        }
        check(
            "include!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));\nother!(\"a.rs\");",
            &[],
        );
    }

    #[test]
    fn attributes_of_the_file_stand_at_its_start() {
        let filler = format!("struct A; // {}\n", "x".repeat(PART_BYTES));
        for attribute in ["#![allow(x)]", "//! Docs."] {
            assert!(read_whole(&format!("{filler}{attribute}\nstruct B;")).is_none());
        }
    }
}
