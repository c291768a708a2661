//! Parses large files in pieces on several threads: one file of Kubernetes' core API holds most of
//! its types.
//!
//! A piece ends after a line with only a closing brace that is followed by an empty line: in
//! gofmt's layout, the end of a declaration. If that occurs within a declaration, string or
//! comment, the preceding piece does not parse, and the file is parsed as a whole.

use memchr::memmem;
use rayon::prelude::*;

use super::{
    parse::{self, Parsed},
    syntax::{File, Owner, Span, TypeExpr},
};

/// The minimum size of a piece; files shorter than two pieces are parsed as a whole.
const PIECE_BYTES: usize = 48 * 1024;

/// The end of a declaration.
const END: &str = "\n}\n\n";

/// Parses a file.
///
/// # Errors
///
/// The first syntax error, as far as declarations are concerned.
pub(super) fn parse(text: &str) -> Parsed<File> {
    let pieces = pieces(text, PIECE_BYTES);
    parse_pieces(text, &pieces).map_or_else(|| parse::parse(text), Ok)
}

/// Parses the pieces and joins them; returns `None` if a piece does not parse on its own.
fn parse_pieces(text: &str, pieces: &[Span]) -> Option<File> {
    if pieces.len() < 2 {
        return None;
    }
    let parsed: Option<Vec<File>> = pieces
        .par_iter()
        .with_max_len(1)
        .map(|piece| parse::parse_piece(text, piece).ok())
        .collect();
    let files = parsed?;
    let room = Room::of(&files);
    let mut files = files.into_iter();
    let mut first = files.next()?;
    room.make(&mut first);
    Some(files.fold(first, join))
}

/// Splits a text into pieces, each but the last of at least `least` bytes.
fn pieces(text: &str, least: usize) -> Vec<Span> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while let Some(rest) = text.as_bytes().get(start + least..)
        && let Some(at) = memmem::find(rest, END.as_bytes())
    {
        let end = start + least + at + END.len();
        pieces.push(start..end);
        start = end;
    }
    pieces.push(start..text.len());
    pieces
}

/// The total number of elements in all pieces, for the largest lists.
struct Room {
    comments: usize,
    groups: usize,
    types: usize,
}

impl Room {
    fn of(files: &[File]) -> Self {
        let count = |of: fn(&File) -> usize| files.iter().map(of).sum();
        Self {
            comments: count(|file| file.comments.len()),
            groups: count(|file| file.groups.len()),
            types: count(|file| file.types.len()),
        }
    }

    /// Reserves memory for all pieces up front, to avoid repeated reallocation.
    fn make(&self, file: &mut File) {
        fn grow<T>(list: &mut Vec<T>, total: usize) {
            let mut grown = Vec::with_capacity(total);
            grown.append(list);
            *list = grown;
        }
        grow(&mut file.comments, self.comments);
        grow(&mut file.groups, self.groups);
        grow(&mut file.owners, self.groups);
        grow(&mut file.types, self.types);
    }
}

/// Appends the following piece to a file.
fn join(mut file: File, mut next: File) -> File {
    let (groups, types, fields) = (file.groups.len(), file.types.len(), file.fields);
    for group in &mut next.groups {
        group.shift(file.comments.len());
    }
    for spec in &mut next.types {
        shift_group(&mut spec.doc, groups);
        shift(&mut spec.ty, groups, fields);
    }
    for spec in &mut next.consts {
        shift_group(&mut spec.doc, groups);
        if let Some(ty) = &mut spec.ty {
            shift(ty, groups, fields);
        }
    }
    for owner in &mut next.owners {
        match owner {
            Owner::TypeDoc(index) | Owner::TypeApart(index) => *index += types,
            Owner::Field(number) => *number += fields,
            Owner::Package | Owner::Behind | Owner::Declaration(_) | Owner::Nothing => {}
        }
    }
    file.imports.append(&mut next.imports);
    file.types.append(&mut next.types);
    file.consts.append(&mut next.consts);
    file.methods.append(&mut next.methods);
    file.comments.append(&mut next.comments);
    file.groups.append(&mut next.groups);
    file.owners.append(&mut next.owners);
    file.fields += next.fields;
    file
}

fn shift_group(group: &mut Option<usize>, by: usize) {
    if let Some(group) = group {
        *group += by;
    }
}

/// Offsets comment groups and fields by the number of those in preceding pieces.
fn shift(ty: &mut TypeExpr, groups: usize, fields: usize) {
    match ty {
        TypeExpr::Pointer(inner) | TypeExpr::Slice(inner) | TypeExpr::Array(_, inner) => {
            shift(inner, groups, fields);
        }
        TypeExpr::Map(key, value) => {
            shift(key, groups, fields);
            shift(value, groups, fields);
        }
        TypeExpr::Struct(specs) => {
            for spec in specs {
                shift_group(&mut spec.doc, groups);
                spec.number += fields;
                shift(&mut spec.ty, groups, fields);
            }
        }
        TypeExpr::Name(_)
        | TypeExpr::Qualified(..)
        | TypeExpr::Any
        | TypeExpr::Interface(_)
        | TypeExpr::Other(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that pieces of every size give the same file, and that the most pieces that do are
    /// `most`.
    #[track_caller]
    fn check(text: &str, most: usize) {
        let whole = format!("{:?}", parse::parse(text));
        let parsed = (0..text.len()).map(|least| {
            let pieces = pieces(text, least);
            let file = parse_pieces(text, &pieces)?;
            assert_eq!(format!("{:?}", Parsed::Ok(file)), whole, "{pieces:?}");
            Some(pieces.len())
        });
        assert_eq!(parsed.flatten().max().unwrap_or(1), most);
    }

    #[test]
    fn pieces_give_the_file_that_the_whole_gives() {
        let text = "// Package doc.\npackage v1\n\nimport \"k8s.io/api/core/v1\"\n\n// +apart\n\n\
                    // A doc.\ntype A struct {\n\t// F doc.\n\t// +optional\n\
                    \tF, G string `json:\"f\"` // behind\n\n\t// nothing\n}\n\n// +package\n\n// B doc.\ntype B struct {\n\tA `json:\",inline\"`\n\n\
                    \t// +x\n\n\t// H doc.\n\tH map[string]struct {\n\t\t// I doc.\n\t\tI []*v1.Pod\n\t}\n}\n\n// Kinds.\nconst (\n\t// One doc.\n\
                    \tOne Kind = \"one\"\n\tTwo Kind = \"two\" // two\n)\n\n// C marshals.\nfunc (c *C) MarshalJSON() ([]byte, error) {\n\treturn nil, nil\n}\n\n\
                    // C doc.\ntype C struct {\n\t// J doc.\n\tJ B\n}\n\n// the end\n";
        check(text, 5);
    }

    #[test]
    fn an_end_within_something_else_is_none() {
        for within in [
            "var a = `\n}\n\n`\n",
            "/*\n}\n\n*/\n",
            "func a() {\n{\n}\n\n}\n",
            "type A struct {\nB struct {\n}\n\n}\n",
        ] {
            check(&format!("package v1\n\n{within}"), 1);
        }
    }
}
