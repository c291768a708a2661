//! Changes of schemas in code: the places that statements name, and what they put there.

use syn::{Expr, ExprField, ExprMethodCall, Member};

use super::{
    code::{Code, SchemaCode, keyword},
    evaluate::Evaluation,
    literal::Literal,
    syntax::ident_text,
};

/// The place of a value: a local variable, and the keys that lead to it.
type Target = (String, Vec<String>);

impl Evaluation<'_> {
    /// Applies a call that changes an object or a list.
    pub(super) fn effect(&mut self, call: &ExprMethodCall) -> Option<()> {
        let mut arguments = call.args.iter();
        let first = arguments.next();
        let (local, mut keys) = self.target(&call.receiver)?;
        match (call.method.to_string().as_str(), first, arguments.next()) {
            ("insert", Some(key), Some(value)) => {
                let key = self.key(key)?;
                let value = self.value(value)?;
                self.place(&local, &keys)?.set(key, Some(value));
            }
            ("remove", Some(key), None) => {
                let key = self.key(key)?;
                self.place(&local, &keys)?.set(key, None);
            }
            // A set, or a list.
            ("insert" | "push", Some(value), None) => {
                let value = self.value(value)?;
                let last = keys.pop()?;
                let list = self.place(&local, &keys)?.at(&last)?;
                match list {
                    Code::List(items) => items.push(value),
                    Code::Schema(empty) if empty.keywords.is_empty() => {
                        *list = Code::List(vec![value]);
                    }
                    _ => return None,
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the object at a place, which is created if there is none.
    pub(super) fn place(&mut self, local: &str, keys: &[String]) -> Option<&mut SchemaCode> {
        let mut at = self.locals.get_mut(local)?;
        for key in keys {
            let Code::Schema(schema) = at else {
                return None;
            };
            at = schema.at(key)?;
        }
        match at {
            Code::Schema(schema) => Some(schema),
            _ => None,
        }
    }

    /// Returns the place that an expression names.
    pub(super) fn target(&self, expr: &Expr) -> Option<Target> {
        match expr {
            Expr::Path(path) => Some((ident_text(path.path.get_ident()?), Vec::new())),
            Expr::Paren(inner) => self.target(&inner.expr),
            Expr::Reference(inner) => self.target(&inner.expr),
            Expr::Try(inner) => self.target(&inner.expr),
            Expr::Index(index) => {
                let (local, mut keys) = self.target(&index.expr)?;
                keys.push(self.key(&index.index)?);
                Some((local, keys))
            }
            Expr::Field(field) => self.target_of_field(field),
            Expr::MethodCall(call) => {
                let (local, mut keys) = self.target(&call.receiver)?;
                match (call.method.to_string().as_str(), call.args.first()) {
                    ("get_mut", Some(key)) => keys.push(self.key(key)?),
                    // The parts of a schema in schemars 0.8 have their keywords in the schema
                    // itself.
                    (
                        "array" | "as_mut" | "as_object_mut" | "ensure_object" | "metadata"
                        | "number" | "object" | "string" | "subschemas" | "unwrap",
                        None,
                    )
                    | ("expect", Some(_)) => {}
                    _ => return None,
                }
                Some((local, keys))
            }
            _ => None,
        }
    }

    fn target_of_field(&self, field: &ExprField) -> Option<Target> {
        let (local, mut keys) = self.target(&field.base)?;
        let Member::Named(name) = &field.member else {
            return None;
        };
        match ident_text(name).as_str() {
            // Parts of schemars 0.8's schemas, and the schema of its `RootSchema`.
            "array" | "extensions" | "metadata" | "number" | "object" | "schema" | "string"
            | "subschemas" => {}
            name => keys.push(keyword(name)),
        }
        Some((local, keys))
    }

    pub(super) fn key(&self, expr: &Expr) -> Option<String> {
        Literal::of(expr).text()
    }
}
