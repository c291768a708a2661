//! Links within the repository, in every page of Markdown.

use std::fs;
use std::path::Path;

use super::page::Page;
use super::root;

/// Folders without pages of ours: outputs and templates, whose links are those of the user's
/// folder.
const SKIPPED: [&str; 3] = ["target", "testdata", "templates"];

fn markdown(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_str().unwrap();
        let is_hidden = name.starts_with('.') && name != ".github";
        let kind = entry.file_type().unwrap();
        if kind.is_dir() && !is_hidden && !SKIPPED.contains(&name) {
            markdown(&path, found);
        } else if kind.is_file() && name.ends_with(".md") {
            let path = path.strip_prefix(root()).unwrap();
            found.push(path.to_str().unwrap().replace('\\', "/"));
        }
    }
}

#[test]
fn every_link_leads_to_a_file_and_to_a_heading_in_it() {
    let mut paths = Vec::new();
    markdown(&root(), &mut paths);
    paths.sort();
    assert!(paths.len() > 20, "{paths:?}");
    let mut dead = Vec::new();
    for path in paths {
        for link in Page::read(&path).links() {
            let target = root().join(&link.file);
            let is_page = link.file.ends_with(".md");
            if !target.exists() {
                dead.push(format!(
                    "{path}:{}: {} does not exist",
                    link.line, link.file
                ));
            } else if let Some(anchor) = link.anchor.filter(|_| is_page)
                && !Page::read(&link.file).anchors().contains(&anchor)
            {
                let file = &link.file;
                dead.push(format!("{path}:{}: {file} has no #{anchor}", link.line));
            }
        }
    }
    assert!(dead.is_empty(), "dead links:\n{}", dead.join("\n"));
}
