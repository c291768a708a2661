//! Parses all YAML below a folder and keeps none of it: what `hack/bench/corpus.sh` holds
//! generation against. The parser is serde-saphyr, to which `kube-codegen` leaves what its own
//! reader of block style does not take; allocator and number of threads are the same.
#![allow(clippy::print_stdout, reason = "a program for one script")]

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("no folder")?;
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    // As the generator: the largest first, and each thread takes the next when it has finished one.
    files.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    let parsed = files.iter().par_bridge().map(|(path, _)| parse(path));
    let documents: Vec<Option<usize>> = parsed.collect::<io::Result<_>>()?;
    let refused = documents.iter().filter(|found| found.is_none()).count();
    let documents: usize = documents.into_iter().flatten().sum();
    println!(
        "{} files, {documents} documents; {refused} that the parser does not take as they are",
        files.len()
    );
    Ok(())
}

/// The number of documents; none if the generator mends the text before it parses it.
fn parse(path: &Path) -> io::Result<Option<usize>> {
    let text = fs::read_to_string(path)?;
    let options = serde_saphyr::options! { budget: None, with_snippet: false };
    let documents: Result<Vec<serde_json::Value>, _> =
        serde_saphyr::from_multiple_with_options(&text, options);
    Ok(documents.ok().map(|documents| documents.len()))
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, u64)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else if entry.path().extension().is_some_and(|it| it == "yaml") {
            files.push((entry.path(), entry.metadata()?.len()));
        }
    }
    Ok(())
}
