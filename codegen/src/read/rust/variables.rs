//! Blocks whose variables are known: `let` with a value, and what is put into maps and lists.

use serde_json::Value;
use syn::{Block, Expr, Pat, Stmt};

use super::{literal::Literal, syntax::ident_text};

/// The most parts of a variable's value: lists of lists of variables would soon be larger than
/// memory.
const MOST_PARTS: usize = 1_000;

/// Variables with their values.
type Variables = Vec<(String, Literal)>;

impl Literal {
    /// Evaluates a block of an expression, before which variables may be set.
    pub(super) fn of_block(block: &Block) -> Self {
        of_block(block).unwrap_or(Self::Unknown)
    }

    /// Returns the value with the name of a type in place of `Self`.
    pub(super) fn of_type(self, name: &str) -> Self {
        let own = |mut path: Vec<String>| {
            if let Some(head) = path.first_mut().filter(|head| *head == "Self") {
                name.clone_into(head);
            }
            path
        };
        with_paths(self, &|path| Self::Named(own(path)), &own)
    }
}

fn of_block(block: &Block) -> Option<Literal> {
    let (last, before) = block.stmts.split_last()?;
    let Stmt::Expr(last, None) = last else {
        return None;
    };
    let mut variables = Variables::new();
    for statement in before {
        match statement {
            Stmt::Local(local) => {
                let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
                let value = with(Literal::of(&init.expr), &variables);
                variables.push((name_of(&local.pat)?, value));
            }
            Stmt::Expr(Expr::MethodCall(call), Some(_)) => put(call, &mut variables)?,
            Stmt::Expr(..) | Stmt::Item(_) | Stmt::Macro(_) => return None,
        }
        if variables.iter().any(|(_, value)| parts(value) > MOST_PARTS) {
            return None;
        }
    }
    Some(with(Literal::of(last), &variables))
}

fn parts(value: &Literal) -> usize {
    let of_entries = |entries: &[(String, Literal)]| -> usize {
        entries.iter().map(|(_, value)| parts(value)).sum()
    };
    1 + match value {
        Literal::Known(value) => parts_of_json(value),
        Literal::List(items) => items.iter().map(parts).sum(),
        Literal::Map(entries) => of_entries(entries),
        Literal::Struct(fields, rest) => of_entries(fields) + rest.as_deref().map_or(0, parts),
        Literal::Wrapped(_, inner) => parts(inner),
        Literal::Named(_) | Literal::Unknown => 0,
    }
}

fn parts_of_json(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(parts_of_json).sum(),
        Value::Object(entries) => entries.values().map(parts_of_json).sum(),
        _ => 0,
    }
}

fn name_of(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(name) if name.subpat.is_none() => Some(ident_text(&name.ident)),
        Pat::Type(typed) => name_of(&typed.pat),
        _ => None,
    }
}

/// Evaluates `map.insert(key, value)` and `list.push(value)`.
fn put(call: &syn::ExprMethodCall, variables: &mut Variables) -> Option<()> {
    let Expr::Path(receiver) = &*call.receiver else {
        return None;
    };
    let name = ident_text(receiver.path.get_ident()?);
    let arguments = call.args.iter();
    let arguments: Vec<Literal> = arguments
        .map(|argument| with(Literal::of(argument), variables))
        .collect();
    let mut variables = variables.iter_mut().rev();
    let (_, variable) = variables.find(|(known, _)| *known == name)?;
    let method = call.method.to_string();
    *variable = match (method.as_str(), arguments.as_slice()) {
        ("insert", [key, value]) => {
            let mut entries = entries_of(variable)?;
            let key = key.clone().text()?;
            entries.retain(|(known, _)| *known != key);
            entries.push((key, value.clone()));
            Literal::map(entries)
        }
        ("push", [value]) => {
            let mut items = variable.items()?;
            items.push(value.clone());
            Literal::list(items.into_iter())
        }
        _ => return None,
    };
    Some(())
}

fn entries_of(map: &Literal) -> Option<Vec<(String, Literal)>> {
    match map {
        Literal::Map(entries) => Some(entries.clone()),
        Literal::Known(Value::Object(entries)) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| (key.clone(), Literal::Known(value.clone())));
            Some(entries.collect())
        }
        _ => None,
    }
}

/// Puts the values of variables in place of their names.
fn with(value: Literal, variables: &Variables) -> Literal {
    let named = |path: Vec<String>| {
        let mut known = variables.iter().rev();
        let known = match path.as_slice() {
            [name] => known.find(|(variable, _)| variable == name),
            _ => None,
        };
        known.map_or(Literal::Named(path), |(_, value)| value.clone())
    };
    with_paths(value, &named, &|path| path)
}

/// Replaces what is named, and the paths of constructors.
fn with_paths(
    value: Literal,
    named: &dyn Fn(Vec<String>) -> Literal,
    constructor: &dyn Fn(Vec<String>) -> Vec<String>,
) -> Literal {
    let within = |value: Literal| with_paths(value, named, constructor);
    let of_entries = |entries: Vec<(String, Literal)>| {
        let entries = entries.into_iter();
        entries.map(|(name, value)| (name, within(value))).collect()
    };
    match value {
        Literal::Named(path) => named(path),
        Literal::List(items) => Literal::list(items.into_iter().map(within)),
        Literal::Map(entries) => Literal::map(of_entries(entries)),
        Literal::Struct(fields, rest) => {
            let rest = rest.map(|rest| Box::new(within(*rest)));
            Literal::Struct(of_entries(fields), rest)
        }
        Literal::Wrapped(path, inner) => match within(*inner) {
            Literal::Unknown => Literal::Unknown,
            inner => Literal::Wrapped(constructor(path), Box::new(inner)),
        },
        known @ (Literal::Known(_) | Literal::Unknown) => known,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(block: &str, expected: impl Into<Option<Value>>) {
        let block = syn::parse_str(&format!("{{ {block} }}")).unwrap();
        let found = match of_block(&block) {
            Some(Literal::Known(value)) => Some(value),
            _ => None,
        };
        assert_eq!(found, expected.into());
    }

    #[test]
    fn variables_stand_for_their_values() {
        check("let a = 1; let b: u8 = a; vec![a, b]", json!([1, 1]));
        check(
            "let mut map = BTreeMap::new(); map.insert(\"a\".to_string(), 1); map.insert(\"b\".into(), 2); map",
            json!({"a": 1, "b": 2}),
        );
        check("let mut list = vec![1]; list.push(2); list", json!([1, 2]));
    }

    #[test]
    fn what_else_happens_is_not_guessed() {
        check("let a = 1; f(&mut a); a", None);
        check("let Some(a) = b else { return 1 }; a", None);
        check("let a = 1; return a;", None);
        check("let mut list = vec![1]; list.clear(); list", None);
        check("if a { return 2; } 1", None);
        check("let a = f(2); vec![a]", None);
    }

    #[test]
    fn values_do_not_grow_without_a_limit() {
        let double = "let a = vec![a, a];".repeat(60);
        check(&format!("let a = 1; {double} a"), None);
    }
}
