//! The book (`docs`) and README.md: every link leads somewhere, and every block of code is held to
//! something.
//!
//! A comment above a block says what holds it; `docs/book.md` lists the forms for writers. A
//! comment of the form `code of this page` counts for all blocks in Rust of a page that have none
//! of their own.

mod blocks;
mod commands;
mod links;
mod page;

use std::path::PathBuf;

use page::Page;

use crate::cli::sandbox::testdata;

/// The root of the repository.
fn root() -> PathBuf {
    testdata().join("..").canonicalize().unwrap()
}

/// README.md and the pages of the book, in its order.
fn pages() -> Vec<Page> {
    let summary = Page::read("docs/SUMMARY.md");
    let listed = summary.links().into_iter().map(|link| link.file);
    let paths = ["README.md".to_owned()].into_iter().chain(listed);
    paths.map(|path| Page::read(&path)).collect()
}

#[test]
fn the_summary_lists_every_page_of_the_folder_once() {
    let summary = Page::read("docs/SUMMARY.md");
    let mut listed: Vec<_> = summary.links().into_iter().map(|link| link.file).collect();
    let count = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), count, "a page is listed twice");
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".md") && name != "SUMMARY.md" {
            let path = format!("docs/{name}");
            assert!(listed.contains(&path), "docs/SUMMARY.md lacks {name}");
        }
    }
}

#[test]
fn the_readme_is_short() {
    let lines = Page::read("README.md").text.lines().count();
    assert!(lines <= 180, "{lines} lines: move some into docs");
}
