//! The testable invariants of ARCHITECTURE.md.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

mod circles;
mod deploy;
mod packages;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the names of all packages that a member links with default features.
fn dependencies(package: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", package, "--edges", "normal"])
        .args([
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--locked",
            "--offline",
        ])
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect()
}

#[track_caller]
fn check_links_none_of(package: &str, forbidden: &[&str]) {
    let linked = dependencies(package);
    assert!(linked.iter().any(|name| name == package), "{linked:?}");
    for name in forbidden {
        assert!(
            !linked.iter().any(|linked| linked == name),
            "{package} links {name}"
        );
    }
}

/// Returns the Rust files at or below a path of `codegen/src` with their code, without comment
/// lines and unit tests.
fn sources(path: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    collect(&root.join(path), &root, &mut files);
    assert!(!files.is_empty(), "{path}");
    files
}

/// Adds the Rust files at or below `path`, by their paths below `root`.
fn collect(path: &Path, root: &Path, files: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), root, files);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = fs::read_to_string(path).unwrap();
        let code = text
            .split("\n#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or(&text);
        let code: Vec<&str> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        files.push((name.replace('\\', "/"), code.join("\n")));
    }
}

/// Asserts that none of the words occurs in the code at or below `path`, except in files whose path
/// starts with one of `except`.
#[track_caller]
fn check_absent(path: &str, except: &[&str], words: &[&str]) {
    for (file, code) in sources(path) {
        let excepted = except.iter().any(|prefix| file.starts_with(prefix));
        let is_test = file.ends_with("tests.rs") || file.contains("/tests/");
        if excepted || is_test {
            continue;
        }
        for word in words {
            assert!(!code.contains(word), "{file} has `{word}`");
        }
    }
}

#[rustfmt::skip]
const FILE_SYSTEM_WRITES: [&str; 12] = [
    "fs::write", "fs::rename", "fs::remove_", "fs::create_dir", "fs::copy", "fs::hard_link",
    "fs::set_permissions", "File::create", "OpenOptions", "DirBuilder", "tempfile", ".persist(",
];

#[test]
fn the_generator_links_no_http_and_no_async_runtime() {
    let forbidden = [
        "tokio",
        "hyper",
        "tower",
        "reqwest",
        "rustls",
        "kube",
        "kube-client",
        "kube-core",
        "k8s-openapi",
        "codegen-runtime",
        "embedded-apiserver",
    ];
    check_links_none_of("kube-codegen", &forbidden);
}

#[test]
fn the_api_server_knows_neither_generator_nor_runtime() {
    check_links_none_of("embedded-apiserver", &["kube-codegen", "codegen-runtime"]);
}

#[test]
fn the_runtime_links_the_api_server_only_for_fakes() {
    check_links_none_of("codegen-runtime", &["kube-codegen", "embedded-apiserver"]);
}

#[test]
fn only_write_touches_the_disk_for_output() {
    let writing = ["output/write.rs", "output/stage.rs"];
    // A program in cargo's target folder is no output.
    let with_program = [
        &writing[..],
        &["config/evaluate.rs", "config/evaluated_program.rs"],
    ]
    .concat();
    check_absent("", &with_program, &FILE_SYSTEM_WRITES);
    for (file, word) in writing.into_iter().zip(["fs::remove_", "File::create"]) {
        let (_, text) = sources(file).remove(0);
        assert!(text.contains(word), "{file} does not contain `{word}`");
    }
}

#[test]
fn generation_is_pure() {
    let outside = ["cli/", "config/", "main.rs", "output/"];
    let words = [
        "std::fs",
        " fs::",
        "env::",
        "SystemTime::",
        "Instant",
        "Command::new",
        "current_dir",
        "hostname",
        "rand::",
    ];
    check_absent("", &outside, &words);
    check_absent("output/format", &[], &words);
}

#[test]
fn planning_and_writing_do_not_know_each_other() {
    check_absent("output/write.rs", &[], &["orphans", "guard", "Guard"]);
    for reads in ["plan", "guard", "orphans"] {
        check_absent(&format!("output/{reads}.rs"), &[], &["write::", "apply"]);
    }
}

#[test]
fn one_place_starts_threads() {
    let words = [
        "ThreadPool",
        "thread::spawn",
        "thread::scope",
        "thread::Builder",
    ];
    // The signal handler waits on its own thread.
    check_absent("", &["threads.rs", "cli/interrupt.rs"], &words);
}

#[test]
fn nothing_that_reaches_output_is_in_a_hash_map() {
    // Elsewhere they are fine for lookups: clippy denies iterating them.
    let words = ["HashMap", "HashSet", "RandomState"];
    check_absent("emit", &[], &words);
    check_absent("output/format", &[], &words);
    check_absent("model", &[], &words);
}

#[test]
fn only_binaries_print() {
    let words = ["println!", "eprintln!", "print!(", "dbg!"];
    // The example in a scaffold prints.
    check_absent("", &["cli/", "scaffold.rs"], &words);
}

/// Words by which an error reaches a log line without the runtime's formatter, which leaves out
/// debug output and repeated causes.
const UNFORMATTED: [&str; 9] = [
    "?error", "?err,", "?source", "%error", "%err,", "%source", "{error", "{err}", "{source",
];

/// Errors that people read are formatted by `error::chain` (logs) and `error::message` (conditions,
/// events).
#[test]
fn no_log_line_shows_an_error_without_its_formatter() {
    let mut found = Vec::new();
    for folder in ["runtime/src", "controllers", "templates"].map(|it| format!("../../{it}")) {
        for (file, text) in sources(&folder) {
            for macro_name in ["trace!(", "debug!(", "info!(", "warn!(", "error!("] {
                for (at, _) in text.match_indices(&format!("tracing::{macro_name}")) {
                    let line = text[at..].split_once(';').map_or("", |(line, _)| line);
                    let before = &text[..at];
                    // The variable may be the formatted error.
                    let recent = before.lines().rev().take(10).collect::<String>();
                    let is_formatted = recent.contains("let error = chain(")
                        || recent.contains("let error = crate::error::chain(");
                    if !is_formatted && UNFORMATTED.iter().any(|word| line.contains(word)) {
                        found.push(format!("{file}: {line}"));
                    }
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "use `error = %chain(&error)`:\n{}",
        found.join("\n")
    );
}

/// The debug form of an error, in a condition, an event or a message.
#[test]
fn no_message_holds_the_debug_form_of_an_error() {
    let words = [
        "{error:?}",
        "{err:?}",
        "{source:?}",
        "{error:#?}",
        "?error,",
        "?err,",
        "?source,",
    ];
    check_absent("../../controllers", &[], &words);
    check_absent("../../templates", &[], &words);
    check_absent(
        "../../runtime/src",
        &["../../runtime/src/fake/running.rs"],
        &words,
    );
}

#[test]
fn rust_is_emitted_through_quote() {
    // Concatenated code would need manual indentation. The codec is copied from its source.
    let codec = "emit/types/codec.rs";
    check_absent("emit", &[codec], &["push_str(\"    ", "writeln!"]);
    // The tables of built-in types are data, generated code includes CRDs, and files of an operator
    // include others of it. Templates are a crate of their own.
    let others = ["builtin/", "emit/register.rs", "operator/"];
    check_absent("", &others, &["include_str!"]);
}

/// Known circles of files that import each other: a builder and its product, types that refer to
/// each other. The list may only shrink; a circle that no longer exists is an error.
const FILES_IN_CIRCLES: &[(&str, &[&str])] = &[
    (
        "codegen",
        &[
            "model::external, model::types",
            "read::markers::client, read::markers::crd, read::markers::define, read::markers::field, read::markers::set",
        ],
    ),
    (
        "runtime",
        &[
            "app::builder, app::demo",
            "controller::builder, controller::run",
            "informer::builder, informer::factory, informer::metrics",
            "leader::elector, leader::lead",
            "workqueue::builder, workqueue::get, workqueue::item, workqueue::priority, workqueue::queue",
            "workqueue::core::ready, workqueue::core::state",
        ],
    ),
    ("apiserver", &[]),
    ("crates/builtin", &[]),
    ("crates/codec", &[]),
    ("crates/diff", &[]),
    ("crates/schema", &[]),
    ("crates/names", &[]),
    ("crates/quantity", &[]),
    ("templates", &[]),
    ("runtime/macros", &[]),
    ("controllers/controller-manager", &[]),
    ("controllers/network", &[]),
    ("controllers/podbuggertool", &[]),
    ("controllers/podset", &[]),
    ("controllers/testing", &[]),
    ("controllers/virtualmachine", &[]),
];

#[test]
fn no_files_import_each_other() {
    let mut found = Vec::new();
    for (package, known) in FILES_IN_CIRCLES {
        let circles = circles::circular_files(&repository().join(package).join("src"));
        if circles != *known {
            found.push((package, circles));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_modules_import_each_other() {
    for (package, _) in FILES_IN_CIRCLES {
        let circles = circles::circular_modules(&repository().join(package).join("src"));
        assert!(circles.is_empty(), "{package}: {circles:?}");
    }
}

#[test]
fn golden_crates_keep_no_state_of_incremental_builds() {
    let profiles = fs::read_to_string(repository().join("Cargo.toml")).unwrap();
    for entry in fs::read_dir(repository().join("testdata/expected")).unwrap() {
        let folder = entry.unwrap().file_name();
        let line = format!("golden-{}.incremental = false", folder.to_str().unwrap());
        assert!(profiles.contains(&line), "Cargo.toml lacks `{line}`");
    }
}

#[test]
fn crates_without_doc_tests_have_no_examples() {
    let mut crates = 0;
    for folder in ["", "crates", "controllers", "testdata", "testdata/expected"] {
        for entry in fs::read_dir(repository().join(folder)).unwrap() {
            let package = entry.unwrap().path();
            let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("\ndoctest = false") {
                crates += 1;
                check_has_no_examples(&package.join("src"));
            }
        }
    }
    assert!(crates > 20, "{crates}");
}

/// Asserts that rustdoc would compile no code block in the documentation.
fn check_has_no_examples(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check_has_no_examples(&path);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let lines = text.lines().map(str::trim_start);
        let docs = lines.filter_map(|it| it.strip_prefix("//!").or(it.strip_prefix("///")));
        let fences = docs.filter_map(|line| line.trim().strip_prefix("```"));
        for language in fences.step_by(2) {
            let is_other = ["ignore", "text", "yaml", "json", "console"].contains(&language);
            assert!(is_other, "{}: ```{language}", path.display());
        }
    }
}

/// The folders whose files are short, and whose comments are narrow.
const SOURCES: [&str; 10] = [
    "codegen/src",
    "codegen/tests",
    "runtime/src",
    "apiserver/src",
    "crates/codec/src",
    "crates/schema/src",
    "crates/builtin/src",
    "crates/diff/src",
    "crates/names/src",
    "crates/quantity/src",
];

#[test]
fn comments_fit_into_100_columns() {
    let mut files = Vec::new();
    // The sources of the codec are copied into crates, whose bytes users compare.
    for folder in SOURCES.iter().filter(|it| **it != "crates/codec/src") {
        rust_files(&repository().join(folder), &mut files);
    }
    let mut wide = Vec::new();
    // Comments of emitters are comments of generated code.
    let emitters = repository().join("codegen/src/emit");
    for path in files.iter().filter(|path| !path.starts_with(&emitters)) {
        let text = fs::read_to_string(path).unwrap();
        // A line that other code reads, or that cannot be broken: code, markers, tables, links.
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            let comment = line.trim_start();
            let text = comment.trim_start_matches(['/', '!']).trim_end();
            is_code ^= comment.starts_with("//") && text.trim_start().starts_with("```");
            let is_free = is_code
                || text.starts_with("     ")
                || text.trim_start().starts_with(['+', '|'])
                || text.contains("://")
                || text.contains("\\n");
            if comment.starts_with("//") && line.chars().count() > 100 && !is_free {
                wide.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "wider than 100 columns: {wide:#?}");
}

/// The Rust files below a folder.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn files_stay_short() {
    let mut files = Vec::new();
    for folder in SOURCES {
        rust_files(&repository().join(folder), &mut files);
    }
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count();
    let long: Vec<_> = files.iter().filter(|path| lines(path) > 500).collect();
    assert!(long.is_empty(), "longer than 500 lines: {long:?}");
}
