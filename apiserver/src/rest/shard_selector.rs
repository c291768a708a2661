//! The parameter `shardSelector` (KEP-5866), with the parsing and the messages of
//! `k8s.io/apiserver/pkg/sharding`.
//!
//! A selector is written as a CEL expression, but never evaluated.

use kube_names::shard::{Field, INVALID, PARAMETER, Range, Selector};
use kube_schema::cel::tree::{Access, Call, Id, Literal, Node, Tree};
use kube_schema::cel::{Fault, parse as parse_cel};

use crate::http::query::Query;
use crate::status::ApiError;

/// Parses the parameter of a request; `None` without one.
///
/// # Errors
/// 500 without a reason for an invalid selector: kube-apiserver does not mark the error as the
/// client's.
pub(super) fn parse(query: &Query) -> Result<Option<Selector>, ApiError> {
    match query.text(PARAMETER) {
        "" => Ok(None),
        text => read(text)
            .map(Some)
            .map_err(|fault| ApiError::new(500, "", format!("{INVALID}{fault}"))),
    }
}

fn read(text: &str) -> Result<Selector, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(
            "empty shard selector is not allowed; omit the parameter for unfiltered lists"
                .to_owned(),
        );
    }
    let (tree, root) = parse_cel(text).map_err(|fault| match fault {
        Some(Fault::Syntax { message, .. }) => format!("CEL parse error: Syntax error: {message}"),
        Some(fault) => format!("CEL parse error: {fault}"),
        None => "CEL parse error: expression recursion limit exceeded: 250".to_owned(),
    })?;
    let mut parts = Vec::new();
    walk(&tree, root, &mut parts)?;
    let Some((field, _)) = parts.first().copied() else {
        return Err("empty shard selector is not allowed".to_owned());
    };
    if let Some((other, _)) = parts.iter().find(|(other, _)| *other != field) {
        return Err(format!(
            "all shard ranges must use the same field, got \"{}\" and \"{}\"",
            field.path(),
            other.path()
        ));
    }
    let ranges = parts.into_iter().map(|(_, range)| range).collect();
    Ok(Selector { field, ranges })
}

fn walk(tree: &Tree, id: Id, parts: &mut Vec<(Field, Range)>) -> Result<(), String> {
    let unsupported = |name: &str| {
        format!("unsupported function \"{name}\"; only shardRange() and || are allowed")
    };
    match tree.node(id) {
        Node::Call(Call { function, args, .. }) if function == "_||_" => {
            args.iter().try_for_each(|arg| walk(tree, *arg, parts))
        }
        // As in kube-apiserver, a receiver is ignored.
        Node::Call(Call { function, args, .. }) if function == "shardRange" => {
            parts.push(part(tree, args)?);
            Ok(())
        }
        Node::Call(call) => Err(unsupported(&call.function)),
        Node::Select {
            access: Access::Test,
            ..
        } => Err(unsupported("has")),
        other => Err(format!(
            "unexpected expression kind {}; expected shardRange() call or || operator",
            kind(other)
        )),
    }
}

fn part(tree: &Tree, args: &[Id]) -> Result<(Field, Range), String> {
    let [field, start, end] = args else {
        return Err(format!(
            "shardRange() requires exactly 3 arguments, got {}",
            args.len()
        ));
    };
    let path = path(tree, *field).map_err(|kind| {
        format!(
            "shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind {kind}"
        )
    })?;
    let field = Field::parse(&path)?;
    let start = text(tree, *start, "hexStart")?;
    let end = text(tree, *end, "hexEnd")?;
    Ok((field, Range::parse(start, end)?))
}

/// Returns the dotted path of a field, or the kind of the expression that is in its way.
fn path(tree: &Tree, id: Id) -> Result<String, u8> {
    match tree.node(id) {
        Node::Ident(name) => Ok(name.clone()),
        Node::Select {
            operand,
            field,
            access: Access::Read,
        } => Ok(format!("{}.{field}", path(tree, *operand)?)),
        other => Err(kind(other)),
    }
}

fn text<'a>(tree: &'a Tree, id: Id, name: &str) -> Result<&'a str, String> {
    let found = match tree.node(id) {
        Node::Literal(Literal::String(text)) => return Ok(text),
        Node::Literal(literal) => go_type(literal),
        other => {
            return Err(format!(
                "{name} must be a string literal (e.g. '0xff'), got expression kind {}",
                kind(other)
            ));
        }
    };
    Err(format!("{name} must be a string literal, got {found}"))
}

/// Returns the Go type of a literal's value.
fn go_type(literal: &Literal) -> &'static str {
    match literal {
        Literal::Null => "structpb.NullValue",
        Literal::Bool(_) => "bool",
        Literal::Int(_) => "int64",
        Literal::Uint(_) => "uint64",
        Literal::Double(_) => "float64",
        Literal::String(_) => "string",
        Literal::Bytes(_) => "[]uint8",
    }
}

/// Returns cel-go's number of an expression's kind. A test of a field is a call, since the server's
/// parser has no macros.
fn kind(node: &Node) -> u8 {
    match node {
        Node::Call(_)
        | Node::Select {
            access: Access::Test,
            ..
        } => 1,
        Node::Loop(_) => 2,
        Node::Ident(_) => 3,
        Node::List(_) => 4,
        Node::Literal(_) => 5,
        Node::Map(_) => 6,
        Node::Select { .. } => 7,
        Node::Message => 8,
    }
}
