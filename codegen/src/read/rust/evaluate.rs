//! Evaluates functions that return a schema, as far as that is possible without compiling.
//!
//! schemars 1 has one form for a schema, a JSON object. The structs of schemars 0.8 are read as the
//! objects that they serialize to.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use serde_json::Value;
use syn::{
    Expr, ExprCall, ExprMethodCall, LitStr, Member, Pat, Stmt, Token,
    parse::{ParseStream, Parser as _},
    punctuated::Punctuated,
};

use super::{
    code::{Code, SchemaBase, SchemaCall, SchemaCode, keyword},
    literal::Literal,
    syntax::ident_text,
    written::Type,
};

/// The longest chain of nested expressions.
const MAX_DEPTH: usize = 64;

/// Evaluates the body of a function that returns a schema; `read` reads the types in it.
pub(super) fn of_block(
    block: &syn::Block,
    read: &dyn Fn(&syn::Type) -> Type,
) -> Option<SchemaCode> {
    let mut evaluation = Evaluation {
        locals: BTreeMap::new(),
        unknown: BTreeSet::new(),
        read,
        depth: 0,
    };
    evaluation.block(block)?.schema()
}

/// Whether a function takes a generator of schemas and nothing else.
pub(super) fn takes_generator(signature: &syn::Signature) -> bool {
    let mut inputs = signature.inputs.iter();
    let (Some(syn::FnArg::Typed(input)), None) = (inputs.next(), inputs.next()) else {
        return false;
    };
    let syn::Type::Reference(reference) = &*input.ty else {
        return false;
    };
    let syn::Type::Path(path) = &*reference.elem else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "SchemaGenerator")
}

/// The evaluation of a function's body.
pub(super) struct Evaluation<'r> {
    pub(super) locals: BTreeMap<String, Code>,
    /// The variables whose values are not known, such as a generator of schemas.
    unknown: BTreeSet<String>,
    read: &'r dyn Fn(&syn::Type) -> Type,
    depth: usize,
}

impl Evaluation<'_> {
    fn block(&mut self, block: &syn::Block) -> Option<Code> {
        let (last, before) = block.stmts.split_last()?;
        for statement in before {
            self.statement(statement)?;
        }
        match last {
            Stmt::Expr(Expr::Return(value), _) => self.value(value.expr.as_ref()?),
            Stmt::Expr(value, None) => self.value(value),
            Stmt::Macro(call) if call.semi_token.is_none() => self.call_of_macro(&call.mac),
            _ => None,
        }
    }

    fn statement(&mut self, statement: &Stmt) -> Option<()> {
        match statement {
            // Types declared here are read as items.
            Stmt::Item(_) => Some(()),
            Stmt::Local(local) => {
                let mut pattern = &local.pat;
                if let Pat::Type(typed) = pattern {
                    pattern = &typed.pat;
                }
                let Pat::Ident(name) = pattern else {
                    return None;
                };
                let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
                let value = self.value(&init.expr);
                // What uses no schema changes none.
                if value.is_none() && self.uses_locals(init.expr.to_token_stream()) {
                    return None;
                }
                self.assign(ident_text(&name.ident), value);
                Some(())
            }
            Stmt::Expr(Expr::MethodCall(call), _) => self.effect(call),
            Stmt::Expr(Expr::Assign(assign), _) => {
                let (local, keys) = self.target(&assign.left)?;
                let value = self.value(&assign.right)?;
                let (last, before) = keys.split_last()?;
                self.place(&local, before)?.set(last.clone(), Some(value));
                Some(())
            }
            _ => None,
        }
    }

    fn assign(&mut self, name: String, value: Option<Code>) {
        match value {
            Some(value) => {
                self.unknown.remove(&name);
                self.locals.insert(name, value);
            }
            None => {
                self.locals.remove(&name);
                self.unknown.insert(name);
            }
        }
    }

    fn uses_locals(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => self.locals.contains_key(&ident_text(&ident)),
            TokenTree::Group(group) => self.uses_locals(group.stream()),
            _ => false,
        })
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Option<Code> {
        self.depth += 1;
        let value = (self.depth <= MAX_DEPTH).then(|| self.value_within(expr));
        self.depth -= 1;
        value?
    }

    fn value_within(&mut self, expr: &Expr) -> Option<Code> {
        match expr {
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Reference(inner) => self.value(&inner.expr),
            Expr::Block(block) => self.block(&block.block),
            Expr::Path(path) if path.qself.is_none() => self.path(expr, &path.path),
            Expr::Macro(call) => self.call_of_macro(&call.mac),
            Expr::Array(array) => self.list(array.elems.iter()),
            Expr::MethodCall(call) => self.method(expr, call),
            Expr::Call(call) => self.call(expr, call),
            Expr::Struct(body) => self.structure(body),
            Expr::Field(field) if matches!(&field.member, Member::Named(name) if name == "schema") => {
                self.value(&field.base)
            }
            other => known(Literal::of(other)),
        }
    }

    /// Evaluates a list; one of pairs becomes an object, since a schema has no other use for pairs.
    fn list<'e>(&mut self, items: impl Iterator<Item = &'e Expr>) -> Option<Code> {
        let items: Vec<&Expr> = items.collect();
        let is_pair = |item: &&Expr| matches!(item, Expr::Tuple(pair) if pair.elems.len() == 2);
        if items.is_empty() || !items.iter().all(is_pair) {
            let items: Option<Vec<Code>> = items.into_iter().map(|item| self.value(item)).collect();
            return items.map(Code::List);
        }
        let mut object = SchemaCode::default();
        for item in items {
            let Expr::Tuple(pair) = item else { continue };
            let mut pair = pair.elems.iter();
            let key = self.key(pair.next()?)?;
            let value = self.value(pair.next()?)?;
            object.set(key, Some(value));
        }
        Some(Code::Schema(object))
    }

    fn path(&self, expr: &Expr, path: &syn::Path) -> Option<Code> {
        if let Some(local) = path
            .get_ident()
            .and_then(|it| self.locals.get(&ident_text(it)))
        {
            return Some(local.clone());
        }
        if path
            .get_ident()
            .is_some_and(|it| self.unknown.contains(&ident_text(it)))
        {
            return None;
        }
        let mut names = path.segments.iter().rev().map(|it| ident_text(&it.ident));
        match (names.next(), names.next()) {
            (Some(variant), Some(owner)) if owner == "InstanceType" => {
                Some(Code::text(&variant.to_lowercase()))
            }
            _ => known(Literal::of(expr)),
        }
    }

    fn method(&mut self, expr: &Expr, call: &ExprMethodCall) -> Option<Code> {
        /// Calls that keep what a schema says.
        #[rustfmt::skip]
        const SAME: [&str; 14] = [
            "as_value", "clone", "collect", "expect", "into", "into_object", "into_iter", "to_owned", "to_string",
            "to_value", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else",
        ];
        let name = call.method.to_string();
        if matches!(
            name.as_str(),
            "subschema_for" | "root_schema_for" | "into_root_schema_for"
        ) {
            let arguments = &call.turbofish.as_ref()?.args;
            return match arguments.first()? {
                syn::GenericArgument::Type(ty) => Some(self.of_type(ty)),
                _ => None,
            };
        }
        if SAME.contains(&name.as_str())
            && let Some(value) = self.value(&call.receiver)
        {
            return Some(value);
        }
        known(Literal::of(expr))
    }

    fn of_type(&self, ty: &syn::Type) -> Code {
        Code::Schema(SchemaCode {
            base: SchemaBase::Type(Box::new((self.read)(ty))),
            keywords: Vec::new(),
        })
    }

    fn call(&mut self, expr: &Expr, call: &ExprCall) -> Option<Code> {
        let Expr::Path(function) = &*call.func else {
            return None;
        };
        if let Some(ty) = owner_of_schema(function) {
            return Some(self.of_type(&ty));
        }
        let path: Vec<String> = {
            let segments = function.path.segments.iter();
            segments.map(|it| ident_text(&it.ident)).collect()
        };
        let mut names = path.iter().rev().map(String::as_str);
        let (last, owner) = (names.next()?, names.next());
        match (owner, last, call.args.first()) {
            (Some("Map" | "Schema" | "SchemaObject" | "Default"), "new" | "default", None) => {
                Some(Code::Schema(SchemaCode::default()))
            }
            (Some("BTreeMap" | "HashMap" | "IndexMap" | "Map"), "from" | "from_iter", Some(of)) => {
                self.value(of)
            }
            (
                Some("Box" | "Schema" | "SchemaObject" | "SingleOrVec" | "Value" | "Vec"),
                "new" | "from" | "try_from" | "Single" | "Vec" | "Object" | "Array" | "Bool"
                | "Number" | "String",
                Some(value),
            )
            | (_, "Some" | "Ok" | "from_value" | "to_value", Some(value)) => self.value(value),
            (_, "from_str", Some(text)) => {
                let text = Literal::of(text).text()?;
                Some(serde_json::from_str::<Value>(&text).ok()?.into())
            }
            // A generator of schemas is not a value.
            (_, _, Some(Expr::Path(argument)))
                if call.args.len() == 1
                    && argument
                        .path
                        .get_ident()
                        .is_some_and(|it| !self.locals.contains_key(&ident_text(it))) =>
            {
                let base = SchemaBase::Function(SchemaCall::of(&function.path, self.read));
                Some(Code::Schema(SchemaCode {
                    base,
                    keywords: Vec::new(),
                }))
            }
            _ => known(Literal::of(expr)),
        }
    }

    /// Evaluates `SchemaObject { … }` of schemars 0.8.
    fn structure(&mut self, body: &syn::ExprStruct) -> Option<Code> {
        let mut schema = SchemaCode::default();
        for field in &body.fields {
            let Member::Named(name) = &field.member else {
                return None;
            };
            let value = self.value(&field.expr)?;
            match (ident_text(name).as_str(), value) {
                (_, Code::Literal(Literal::Known(Value::Null))) => {}
                // These hold keywords of the schema itself.
                (
                    "array" | "extensions" | "metadata" | "number" | "object" | "string"
                    | "subschemas",
                    Code::Schema(part),
                ) => {
                    for (keyword, value) in part.keywords {
                        schema.set(keyword, value);
                    }
                }
                (name, value) => schema.set(keyword(name), Some(value)),
            }
        }
        match &body.rest {
            None => {}
            Some(rest) if matches!(self.value(rest)?, Code::Schema(_)) => {}
            Some(_) => return None,
        }
        Some(Code::Schema(schema))
    }

    fn call_of_macro(&mut self, call: &syn::Macro) -> Option<Code> {
        let name = call.path.segments.last()?;
        match name.ident.to_string().as_str() {
            "json" | "json_schema" => {
                let parse = |input: ParseStream<'_>| {
                    let value = self.json(input)?;
                    input.parse::<Option<Token![,]>>()?;
                    Ok(value)
                };
                parse.parse2(call.tokens.clone()).ok()?
            }
            "vec" => {
                let items = Punctuated::<Expr, Token![,]>::parse_terminated;
                let items = items.parse2(call.tokens.clone()).ok()?;
                self.list(items.iter())
            }
            _ => known(Literal::of(&Expr::Macro(syn::ExprMacro {
                attrs: Vec::new(),
                mac: call.clone(),
            }))),
        }
    }

    /// Parses a value of `json!`; `None` if it has parts that are not known.
    fn json(&mut self, input: ParseStream<'_>) -> syn::Result<Option<Code>> {
        if input.peek(syn::token::Brace) {
            let content;
            syn::braced!(content in input);
            let mut schema = Some(SchemaCode::default());
            while !content.is_empty() {
                let key = self.json_key(&content)?;
                content.parse::<Token![:]>()?;
                let value = self.json(&content)?;
                match (&mut schema, key, value) {
                    (Some(schema), Some(key), Some(value)) => schema.set(key, Some(value)),
                    _ => schema = None,
                }
                content.parse::<Option<Token![,]>>()?;
            }
            return Ok(schema.map(Code::Schema));
        }
        if input.peek(syn::token::Bracket) {
            let content;
            syn::bracketed!(content in input);
            let mut items = Some(Vec::new());
            while !content.is_empty() {
                match (&mut items, self.json(&content)?) {
                    (Some(items), Some(item)) => items.push(item),
                    _ => items = None,
                }
                content.parse::<Option<Token![,]>>()?;
            }
            return Ok(items.map(Code::List));
        }
        let expr: Expr = input.parse()?;
        Ok(match &expr {
            Expr::Path(path) if path.path.is_ident("null") => Some(Value::Null.into()),
            expr => self.value(expr),
        })
    }

    /// Parses a key of `json!`, which may be an expression.
    fn json_key(&self, input: ParseStream<'_>) -> syn::Result<Option<String>> {
        if input.peek(LitStr) {
            return Ok(Some(input.parse::<LitStr>()?.value()));
        }
        let mut tokens = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![:]) {
            tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
        }
        let expr = syn::parse2::<Expr>(tokens);
        Ok(expr.ok().and_then(|expr| self.key(&expr)))
    }
}

fn known(literal: Literal) -> Option<Code> {
    (literal != Literal::Unknown).then(|| literal.into())
}

/// Returns the type whose schema a call of `json_schema` returns.
fn owner_of_schema(function: &syn::ExprPath) -> Option<syn::Type> {
    let last = function.path.segments.last()?;
    if last.ident != "json_schema" {
        return None;
    }
    if let Some(own) = &function.qself {
        return Some((*own.ty).clone());
    }
    let mut path = function.path.clone();
    path.segments.pop();
    path.segments.pop_punct();
    (!path.segments.is_empty()).then(|| syn::parse_quote!(#path))
}
