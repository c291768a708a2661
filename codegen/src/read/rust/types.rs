//! Converts types from syn's tree to plain data.

use syn::{GenericArgument, PathArguments, spanned::Spanned};

use super::{
    comments::Comments,
    literal::Literal,
    syntax::ident_text,
    written::{Kind, PathType, Type},
};

/// The maximum nesting of a type; later stages recurse over it.
const MAX_DEPTH: usize = 48;

/// Reads a type.
pub(super) fn read(ty: &syn::Type, comments: &Comments, base: usize) -> Type {
    read_at(ty, comments, base, 0)
}

fn read_at(ty: &syn::Type, comments: &Comments, base: usize, depth: usize) -> Type {
    let range = ty.span().byte_range();
    let place = comments.place(range.start + base..range.end + base);
    let text = || {
        comments
            .text()
            .get(place.range.clone())
            .unwrap_or_default()
            .to_owned()
    };
    let depth = depth + 1;
    let kind = match ty {
        _ if depth > MAX_DEPTH => Kind::Unsupported("a type nested this deeply"),
        syn::Type::Group(group) => return read_at(&group.elem, comments, base, depth),
        syn::Type::Paren(paren) => return read_at(&paren.elem, comments, base, depth),
        syn::Type::Array(array) => {
            let element = read_at(&array.elem, comments, base, depth);
            Kind::List(Box::new(element), length(&array.len))
        }
        syn::Type::Slice(slice) => {
            let element = read_at(&slice.elem, comments, base, depth);
            Kind::List(Box::new(element), Literal::Unknown)
        }
        syn::Type::Path(path) if path.qself.is_none() => {
            read_path(&path.path, comments, base, depth)
                .map_or_else(|| Kind::Other(text()), Kind::Path)
        }
        syn::Type::Path(_) | syn::Type::Tuple(_) => Kind::Other(text()),
        syn::Type::Reference(_) => Kind::Unsupported("a reference"),
        syn::Type::Ptr(_) => Kind::Unsupported("a pointer"),
        syn::Type::FnPtr(_) => Kind::Unsupported("a function"),
        syn::Type::ImplTrait(_) | syn::Type::TraitObject(_) => Kind::Unsupported("a trait"),
        syn::Type::Never(_) => Kind::Unsupported("`!`"),
        syn::Type::Infer(_) => Kind::Unsupported("`_`"),
        _ => Kind::Unsupported("a macro"),
    };
    Type { place, kind }
}

/// Reads the argument of a const parameter.
fn constant(value: &syn::Expr, comments: &Comments, base: usize) -> Type {
    let range = value.span().byte_range();
    let place = comments.place(range.start + base..range.end + base);
    let text = comments.text().get(place.range.clone());
    let kind = Kind::Other(text.unwrap_or_default().to_owned());
    Type { place, kind }
}

/// Returns the length of an array: a number, or the path of a constant.
fn length(length: &syn::Expr) -> Literal {
    match length {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(number),
            ..
        }) => {
            let number = number.base10_parse::<u64>();
            number.map_or(Literal::Unknown, |number| Literal::Known(number.into()))
        }
        length => Literal::of(length),
    }
}

/// Reads a path in which only the last segment has arguments.
fn read_path(path: &syn::Path, comments: &Comments, base: usize, depth: usize) -> Option<PathType> {
    let (last, before) = {
        let mut segments: Vec<_> = path.segments.iter().collect();
        let last = segments.pop()?;
        (last, segments)
    };
    if before
        .iter()
        .any(|segment| !matches!(segment.arguments, PathArguments::None))
    {
        return None;
    }
    let mut segments: Vec<String> = before.iter().map(|s| ident_text(&s.ident)).collect();
    segments.push(ident_text(&last.ident));
    let (arguments, arguments_text) = match &last.arguments {
        PathArguments::None => (Vec::new(), String::new()),
        PathArguments::AngleBracketed(angle) => {
            let arguments = angle
                .args
                .iter()
                .filter_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(read_at(ty, comments, base, depth)),
                    GenericArgument::Const(value) => Some(constant(value, comments, base)),
                    _ => None,
                })
                .collect();
            let range = angle.span().byte_range();
            let text = comments
                .text()
                .get(range.start + base..range.end + base)
                .unwrap_or_default();
            (arguments, text.to_owned())
        }
        _ => return None,
    };
    Some(PathType {
        global: path.leading_colon.is_some(),
        segments,
        arguments,
        arguments_text,
    })
}
