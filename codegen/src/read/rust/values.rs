//! Constants and functions, to which attributes refer: values, schemas, and what functions of one
//! value decide.

use std::borrow::Cow;

use syn::{Attribute, Block, Expr, Signature, Stmt};

use super::{
    code::{SchemaCode, SchemaFunction},
    evaluate,
    file::{FileReader, ModuleHead},
    literal::Literal,
    modules::Use,
    predicate::Predicate,
    syntax::ident_text,
    types,
};

/// Stands for the `default` of an implementation by hand; no path has such a name.
pub(crate) const DEFAULT_BY_HAND: &str = "<Default>";

impl FileReader<'_> {
    /// Reads a constant or a function.
    pub(super) fn value(&mut self, item: &syn::Item, module: usize) {
        let (ident, value) = match item {
            syn::Item::Const(item) => (&item.ident, Literal::of(&item.expr)),
            syn::Item::Static(item) => (&item.ident, Literal::of(&item.expr)),
            syn::Item::Fn(item) => {
                let name = ident_text(&item.sig.ident);
                return self.function((&item.sig, &item.block), name, module);
            }
            syn::Item::Macro(item) if item.mac.path.segments.last().is_some_and(is_lazy_static) => {
                let values = item.mac.parse_body_with(lazy_statics).unwrap_or_default();
                let values = values.into_iter();
                self.out
                    .values
                    .extend(values.map(|(name, value)| (module, name, value)));
                return;
            }
            _ => return,
        };
        let name = ident_text(ident);
        self.out.values.push((module, name, value));
    }

    /// Reads what an implementation of `Default` by hand returns.
    pub(super) fn default_of_impl(&mut self, item: &syn::ItemImpl, module: usize) {
        let syn::Type::Path(ty) = &*item.self_ty else {
            return;
        };
        let functions = item.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(item) if item.sig.ident == "default" => Some(&item.block),
            _ => None,
        });
        let ty = ty.path.segments.last();
        for (ty, body) in ty.into_iter().zip(functions) {
            let ty = ident_text(&ty.ident);
            let name = format!("{ty}::{DEFAULT_BY_HAND}");
            let value = Literal::of_block(&self.decided(body)).of_type(&ty);
            self.out.values.push((module, name, value));
        }
    }

    /// Reads the constants and functions of a type, as `Type::name`.
    pub(super) fn associated_values(&mut self, item: &syn::ItemImpl, module: usize) {
        let syn::Type::Path(ty) = &*item.self_ty else {
            return;
        };
        let Some(ty) = ty.path.segments.last().filter(|_| item.trait_.is_none()) else {
            return;
        };
        let ty = ident_text(&ty.ident);
        for item in &item.items {
            match item {
                syn::ImplItem::Const(item) => {
                    let name = format!("{ty}::{}", ident_text(&item.ident));
                    let value = Literal::of(&item.expr).of_type(&ty);
                    self.out.values.push((module, name, value));
                }
                syn::ImplItem::Fn(item) => {
                    let name = format!("{ty}::{}", ident_text(&item.sig.ident));
                    self.function((&item.sig, &item.block), name, module);
                }
                _ => {}
            }
        }
    }

    fn function(&mut self, (signature, body): (&Signature, &Block), name: String, module: usize) {
        let body = &*self.decided(body);
        if signature.inputs.is_empty() {
            let value = Literal::of_block(body);
            let value = match name.split_once("::") {
                Some((ty, _)) => value.of_type(ty),
                None => value,
            };
            self.out.values.push((module, name, value));
        } else if evaluate::takes_generator(signature) {
            if let Some((module, schema)) = self.schema_code(body, &name, module) {
                let parameters = signature.generics.type_params();
                let function = SchemaFunction {
                    parameters: parameters.map(|it| ident_text(&it.ident)).collect(),
                    schema,
                };
                self.out.codes.push((module, name, function));
            }
        } else if let Some(predicate) = Predicate::of(signature, body) {
            self.out.predicates.push((module, name, predicate));
        }
    }

    /// Returns the body of a function without what features leave out; of the alternatives of
    /// blocks, the one that is left.
    fn decided<'b>(&self, body: &'b Block) -> Cow<'b, Block> {
        let statements = || body.stmts.iter();
        if statements().all(|statement| attributes_of(statement).is_empty()) {
            return Cow::Borrowed(body);
        }
        let left = statements().filter(|statement| !self.is_off(attributes_of(statement)));
        let left: Vec<Stmt> = left.cloned().collect();
        Cow::Owned(match left.as_slice() {
            [Stmt::Expr(Expr::Block(only), None)] if only.label.is_none() => only.block.clone(),
            _ => Block {
                brace_token: body.brace_token,
                stmts: left,
            },
        })
    }

    /// Reads the schema that an implementation of `JsonSchema` returns, with the module of its
    /// types.
    pub(super) fn schema_of_impl(
        &mut self,
        item: &syn::ItemImpl,
        module: usize,
    ) -> Option<(usize, SchemaCode)> {
        let function = item.items.iter().find_map(|item| match item {
            syn::ImplItem::Fn(item) if item.sig.ident == "json_schema" => Some(item),
            _ => None,
        })?;
        let syn::Type::Path(ty) = &*item.self_ty else {
            return None;
        };
        let name = ident_text(&ty.path.segments.last()?.ident);
        self.schema_code(&function.block, &name, module)
    }

    /// Evaluates the body of a function that returns a schema. Types that it declares are in a
    /// module of their own.
    fn schema_code(
        &mut self,
        body: &Block,
        name: &str,
        module: usize,
    ) -> Option<(usize, SchemaCode)> {
        let schema = {
            let read = |ty: &syn::Type| types::read(ty, &self.comments, self.base);
            evaluate::of_block(body, &read)?
        };
        let is_item = |statement: &&Stmt| matches!(statement, Stmt::Item(_));
        if !body.stmts.iter().any(|statement| is_item(&statement)) {
            return Some((module, schema));
        }
        let parent = self.out.modules.get(module)?;
        let mut path = parent.path.clone();
        // No module has such a name.
        path.push(format!("{name}()"));
        let inner = self.module(ModuleHead {
            path,
            visible: false,
            public: false,
            cfg: Vec::new(),
            place: self.place(&body.brace_token.span.open()),
        });
        self.out.modules[inner].uses.push(Use {
            name: None,
            path: vec!["super".to_owned()],
            global: false,
            public: false,
        });
        let mut from = self.range(&body.brace_token.span.open()).end;
        for statement in &body.stmts {
            if let Stmt::Item(item) = statement {
                from = self.items(std::slice::from_ref(item), inner, from);
            }
        }
        Some((inner, schema))
    }
}

fn attributes_of(statement: &Stmt) -> &[Attribute] {
    match statement {
        Stmt::Local(local) => &local.attrs,
        Stmt::Expr(Expr::Block(block), _) => &block.attrs,
        Stmt::Macro(call) => &call.attrs,
        Stmt::Expr(..) | Stmt::Item(_) => &[],
    }
}

fn is_lazy_static(segment: &syn::PathSegment) -> bool {
    segment.ident == "lazy_static"
}

/// Parses `static ref NAME: Type = value;` of the macro `lazy_static`.
fn lazy_statics(input: syn::parse::ParseStream<'_>) -> syn::Result<Vec<(String, Literal)>> {
    let mut values = Vec::new();
    while !input.is_empty() {
        input.call(syn::Attribute::parse_outer)?;
        input.parse::<syn::Visibility>()?;
        input.parse::<syn::Token![static]>()?;
        input.parse::<syn::Token![ref]>()?;
        let name: syn::Ident = input.parse()?;
        input.parse::<syn::Token![:]>()?;
        input.parse::<syn::Type>()?;
        input.parse::<syn::Token![=]>()?;
        let value: syn::Expr = input.parse()?;
        input.parse::<syn::Token![;]>()?;
        values.push((ident_text(&name), Literal::of(&value)));
    }
    Ok(values)
}
