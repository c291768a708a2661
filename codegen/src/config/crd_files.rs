//! The files that CRDs are read from: named ones, those of folders, and standard input.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::{
    Error, Progress,
    disk::{Disk, read_error, utf8},
    inputs::CrdInput,
    layout::shown,
};
use crate::{
    diag::Diagnostic,
    generator::is_crd_file,
    options::Options,
    read::crd::{self, ReadCrds},
    source::Source,
};

/// A file to read CRDs from.
enum CrdFile {
    /// Standard input or another pipe, which can be read only once.
    Held(Source),
    /// A file that the configuration lists explicitly.
    Named(PathBuf),
    /// A file in a folder that the configuration lists.
    Found(PathBuf),
}

impl CrdFile {
    /// The size in bytes, as far as it is known.
    fn size(&self) -> u64 {
        match self {
            Self::Held(source) => source.text.len() as u64,
            Self::Named(path) | Self::Found(path) => {
                fs::metadata(path).map_or(0, |data| data.len())
            }
        }
    }

    fn open(&self) -> Result<Source, Error> {
        let (path, found) = match self {
            Self::Held(source) => return Ok(source.clone()),
            Self::Named(path) => (path, false),
            Self::Found(path) => (path, true),
        };
        let bytes = fs::read(path).map_err(read_error(path))?;
        let name = shown(path);
        let source = match decode(name.clone(), &bytes) {
            Ok(source) => source,
            Err(error) => {
                let text = String::from_utf8_lossy(&bytes);
                if !found || text.contains(crd::KIND) {
                    return Err(error);
                }
                Source::new(name, text)
            }
        };
        Ok(Source { found, ..source })
    }
}

/// Reads CRD inputs in the specified order; files of a folder are sorted by path.
///
/// # Errors
///
/// All inputs that cannot be read, and folders without YAML or JSON files.
pub(super) fn read_crds(
    inputs: &[CrdInput],
    options: &Options,
    progress: &dyn Progress,
) -> Result<ReadCrds, Error> {
    let files = list_files(inputs)?;
    progress.start("reading", files.len());
    let open = |file: &CrdFile| {
        let source = file.open();
        progress.step();
        source
    };
    match crd::read_from(&files, CrdFile::size, open, options) {
        Ok(read) => Ok(read),
        Err(errors) => Error::all(errors).map_or_else(|| Ok(ReadCrds::default()), Err),
    }
}

/// Opens CRD inputs whole, in the specified order.
///
/// # Errors
///
/// As [`read_crds`].
pub(super) fn open_all(inputs: &[CrdInput]) -> Result<Vec<Source>, Error> {
    let files = list_files(inputs)?;
    files.iter().map(CrdFile::open).collect()
}

/// The files of CRD inputs, in the specified order; files of a folder are sorted by path.
fn list_files(inputs: &[CrdInput]) -> Result<Vec<CrdFile>, Error> {
    let mut files = Vec::new();
    for input in inputs {
        match input {
            CrdInput::Stdin => files.push(CrdFile::Held(read_stdin()?)),
            CrdInput::Path(path) if path.is_dir() => {
                let mut found = Vec::new();
                Disk::default().collect(path, &mut found, &is_manifest)?;
                if found.is_empty() {
                    let diagnostic = Diagnostic::error(format!(
                        "{} contains no .yaml, .yml or .json file",
                        shown(path)
                    ));
                    return Err(Error::Config(diagnostic.into()));
                }
                found.sort();
                files.extend(found.into_iter().map(CrdFile::Found));
            }
            CrdInput::Path(path) if fs::metadata(path).is_ok_and(|data| !data.is_file()) => {
                let bytes = fs::read(path).map_err(read_error(path))?;
                files.push(CrdFile::Held(decode(shown(path), &bytes)?));
            }
            CrdInput::Path(path) => files.push(CrdFile::Named(path.clone())),
        }
    }
    Ok(files)
}

/// Whether a file of a folder may have CRDs. Those beside generated code are copies.
fn is_manifest(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| matches!(extension, "yaml" | "yml" | "json"))
        && !is_crd_file(path)
}

fn read_stdin() -> Result<Source, Error> {
    let mut bytes = Vec::new();
    io::stdin()
        .read_to_end(&mut bytes)
        .map_err(read_error(Path::new("<stdin>")))?;
    decode("<stdin>".to_owned(), &bytes)
}

/// Creates a source from a manifest in UTF-8, or in UTF-16 with a byte order mark, which PowerShell
/// writes and kubectl reads.
fn decode(name: String, bytes: &[u8]) -> Result<Source, Error> {
    match from_utf16(bytes) {
        Some(text) => Ok(Source::new(name, text)),
        None => utf8(name, bytes),
    }
}

/// Decodes UTF-16, if the text starts with a byte order mark.
fn from_utf16(bytes: &[u8]) -> Option<String> {
    let unit = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (units, rest) = bytes.as_chunks::<2>();
    let units = units.iter().skip(1).map(|two| unit(*two));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().filter(|_| rest.is_empty())
}
