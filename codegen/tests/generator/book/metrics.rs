//! The page of metrics has exactly the names that the runtime registers.

use std::collections::BTreeSet;
use std::fs;

use super::page::Page;
use super::root;

const FOLDERS: [&str; 3] = [
    "runtime/src/metrics",
    "runtime/src/metrics/workqueue",
    "runtime/src/informer",
];

/// Whether a text has the form of a metric's name, with one of their prefixes.
fn is_name(text: &str) -> bool {
    let prefixes =
        "background_ controller_ event_ informer_ leader_ process_ reflector_ rest_ workqueue_";
    let is_plain = text.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
    is_plain && prefixes.split(' ').any(|it| text.starts_with(it))
}

/// The names in the code, without the suffix of counters.
fn registered() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|it| it != "rs") {
                continue;
            }
            let code = fs::read_to_string(path).unwrap();
            let lines = code.lines().filter(|it| !it.trim().starts_with("//"));
            for text in lines.flat_map(|it| it.split('"').skip(1).step_by(2)) {
                // Four counters of controllers are registered with a prefix.
                let of_controller = format!("controller_runtime_{text}");
                if is_name(text) {
                    names.insert(text.trim_end_matches("_total").to_owned());
                } else if text.contains("reconcile_") && is_name(&of_controller) {
                    names.insert(of_controller);
                }
            }
        }
    }
    names
}

#[test]
fn the_page_has_the_names_that_are_registered() {
    let page = Page::read("docs/metrics.md");
    let spans = page.text.split('`').skip(1).step_by(2);
    let listed = spans.filter(|it| is_name(it));
    let listed: BTreeSet<String> = listed
        .map(|it| it.trim_end_matches("_total").to_owned())
        .collect();
    assert_eq!(listed, registered());
}
