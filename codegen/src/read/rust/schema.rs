//! Reads schema attributes: schemars' own, those of validator and garde that schemars reads, and
//! kube's.
//!
//! Lowering turns them into markers (`lower::rust::attributes`), so that checks, documentation and
//! manifests handle a single form.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use serde_json::Value;
use syn::{Attribute, Expr, LitStr, Meta};

use super::{
    code::SchemaCall,
    conditions::Attributes,
    file::FileReader,
    item::{Demand, Said, SchemaAttrs, Word},
    literal::Literal,
    rule::{merge_strategy, rule},
    types,
    words::{Bounds, KubeWords, Mark, Words, Written},
    written::Type,
};
use crate::{read::markers::At, sparse::Sparse};

impl FileReader<'_> {
    /// Reads the schema attributes.
    pub(super) fn schema(&mut self, attributes: &[Attribute]) -> Sparse<SchemaAttrs> {
        const NAMES: [&str; 5] = ["schemars", "validate", "garde", "x_kube", "cel_validate"];
        let may_say = |it: &Attribute| {
            NAMES
                .iter()
                .chain(&["cfg_attr"])
                .any(|name| it.path().is_ident(name))
        };
        if !attributes.iter().any(may_say) {
            return Sparse::default();
        }
        let mut read = Sparse::default();
        let all = Attributes::new(attributes);
        for name in NAMES {
            for attribute in all.all().iter().filter(|it| it.path().is_ident(name)) {
                let Meta::List(list) = &attribute.meta else {
                    continue;
                };
                let result = self.schema_attribute(name, list.tokens.clone(), &mut read);
                let result = result.map_err(|errors| {
                    let errors = errors.flatten().into_iter().map(|error| {
                        let error = error.with_span(attribute);
                        syn::Error::new(error.span(), format!("invalid `#[{name}(…)]`: {error}"))
                    });
                    let combined = errors.reduce(|mut first, next| {
                        first.combine(next);
                        first
                    });
                    combined.unwrap_or_else(|| syn::Error::new_spanned(attribute, "invalid"))
                });
                self.report(result);
            }
        }
        read
    }

    fn schema_attribute(
        &self,
        name: &str,
        tokens: TokenStream,
        read: &mut SchemaAttrs,
    ) -> darling::Result<()> {
        match name {
            "schemars" => {
                let (words, unset) = Words::of_schemars(tokens)?;
                let unset = unset.iter().map(|name| At {
                    value: name.to_string(),
                    place: self.place(name),
                });
                read.unset.extend(unset);
                self.names(&words, read);
                self.texts(&words, read);
                self.demands(name, 0, &words, read);
            }
            // schemars does not own these attributes: it leaves what it does not understand to
            // their own derives.
            "validate" | "garde" => {
                if let Ok(words) = Words::of_validation(tokens) {
                    self.demands(name, 0, &words, read);
                }
            }
            _ => self.kube_words(name, tokens, read)?,
        }
        Ok(())
    }

    fn kube_words(
        &self,
        name: &str,
        tokens: TokenStream,
        read: &mut SchemaAttrs,
    ) -> darling::Result<()> {
        use darling::{FromMeta as _, ast::NestedMeta};
        let words = KubeWords::from_list(&NestedMeta::parse_meta_list(tokens)?)?;
        for Written(expr) in words.validations.iter().chain(&words.rules) {
            let said = self.word(name, "validation", expr);
            let rule = rule(expr).map(Box::new);
            push(read, Word::Rule(rule), Literal::Unknown, 0, said);
        }
        if let Some(Written(expr)) = &words.merge_strategy {
            let said = self.word(name, "merge_strategy", expr);
            let unknown = || vec![("x-kubernetes-list-type", Value::Null)];
            for (keyword, value) in merge_strategy(expr).unwrap_or_else(unknown) {
                let value = match value {
                    Value::Null => Literal::Unknown,
                    value => Literal::Known(value),
                };
                let word = Word::Keyword(keyword.to_owned());
                push(read, word, value, 0, said.clone());
            }
        }
        Ok(())
    }

    /// Reads the rule in `#[kube(validation = …)]`, with its place.
    pub(super) fn kube_rules(&self, attributes: &[Attribute]) -> SchemaAttrs {
        let all = Attributes::new(attributes);
        let mut read = SchemaAttrs::default();
        for attribute in all.all().iter().filter(|it| it.path().is_ident("kube")) {
            // `KubeDerive` reports errors.
            let _ = attribute.parse_nested_meta(|meta| {
                if !meta.input.peek(syn::Token![=]) {
                    parse_group(&meta)?;
                    return Ok(());
                }
                let expr: Expr = meta.value()?.parse()?;
                if meta.path.is_ident("validation") || meta.path.is_ident("rule") {
                    let said = self.word("kube", "validation", &expr);
                    let rule = rule(&expr).map(Box::new);
                    push(&mut read, Word::Rule(rule), Literal::Unknown, 0, said);
                }
                Ok(())
            });
        }
        read
    }

    /// Reads names that differ from serde's.
    fn names(&self, words: &Words, read: &mut SchemaAttrs) {
        let names = [
            ("rename", &words.rename),
            ("rename_all", &words.rename_all),
            ("rename_all_fields", &words.rename_all_fields),
            ("tag", &words.tag),
            ("content", &words.content),
        ];
        for (word, name) in names {
            if let Some(Written(expr)) = name
                && let Some(text) = Literal::of(expr).text()
            {
                let place = self.place(expr);
                read.names.push((word, At { value: text, place }));
            }
        }
        let flags = [
            ("untagged", &words.untagged),
            ("flatten", &words.flatten),
            ("skip", &words.skip),
            ("skip_serializing", &words.skip_serializing),
            ("skip_deserializing", &words.skip_deserializing),
        ];
        for (word, flag) in flags {
            let place = flag.as_ref().map(|flag| self.place(&flag.span));
            read.flags.extend(place.map(|place| (word, place)));
        }
        let default = words.default.as_ref().map(|mark| At {
            value: mark.text.clone(),
            place: self.place(&mark.span),
        });
        read.default = read.default.take().or(default);
    }

    /// Reads documentation, and types and functions that replace the schema.
    fn texts(&self, words: &Words, read: &mut SchemaAttrs) {
        let text = |word: &str, written: &Option<Written>| {
            let Written(expr) = written.as_ref()?;
            Some((Literal::of(expr), self.word("schemars", word, expr)))
        };
        read.title = read.title.take().or(text("title", &words.title));
        let description = text("description", &words.description);
        read.description = read.description.take().or(description);
        if let Some(Written(expr)) = words.examples.first() {
            let said = self.word("schemars", "example", expr);
            read.example.get_or_insert((Literal::of(expr), said));
        }
        if let Some(Written(expr)) = &words.with {
            let ty = as_literal(expr).and_then(|text| text.parse::<syn::Type>().ok());
            match ty {
                Some(ty) => read.with = Some(types::read(&ty, &self.comments, self.base)),
                None => read.computed.push(self.word("schemars", "with", expr)),
            }
        }
        if let Some(Written(expr)) = &words.schema_with {
            let said = self.word("schemars", "schema_with", expr);
            let function = match as_literal(expr) {
                Some(text) => text.parse::<syn::ExprPath>().ok().map(|it| it.path),
                None => match expr {
                    Expr::Path(path) => Some(path.path.clone()),
                    _ => None,
                },
            };
            let of_type = |ty: &syn::Type| types::read(ty, &self.comments, self.base);
            match function {
                Some(path) => read.schema_with = Some((SchemaCall::of(&path, &of_type), said)),
                None => read.computed.push(said),
            }
        }
        for Written(expr) in &words.transforms {
            read.computed.push(self.word("schemars", "transform", expr));
        }
        for extension in words.extensions.iter().flat_map(|some| &some.0) {
            let value = Literal::of_json(extension.value.clone());
            let mut tokens = extension.key.to_token_stream();
            tokens.extend(extension.value.clone());
            let said = Said {
                shown: format!("#[schemars(extend({:?}))]", extension.key.value()),
                place: self.place(&tokens),
            };
            push(read, Word::Keyword(extension.key.value()), value, 0, said);
        }
    }

    /// Reads constraints on values, from the words that schemars, validator and garde share.
    fn demands(&self, attribute: &str, depth: usize, words: &Words, read: &mut SchemaAttrs) {
        if let Some(mark) = words.required.as_ref().filter(|_| depth == 0) {
            let said = self.word(attribute, "required", &mark.span);
            read.required.get_or_insert(said);
        }
        let mut bounds = |word: &str, bounds: &Option<Bounds>, [least, most]: [Word; 2]| {
            let Some(Bounds { min, max }) = bounds else {
                return;
            };
            for (side, bound, part) in [("min", min, least), ("max", max, most)] {
                if let Some(expr) = bound {
                    let said = self.word(attribute, &format!("{word}({side})"), expr);
                    push(read, part, Literal::of(expr), depth, said);
                }
            }
        };
        bounds("length", &words.length, [Word::MinLength, Word::MaxLength]);
        bounds("range", &words.range, [Word::Minimum, Word::Maximum]);
        let patterns = [
            ("regex", &words.regex, Word::Pattern),
            ("pattern", &words.pattern, Word::Pattern),
            ("contains", &words.contains, Word::Contains),
        ];
        for (name, pattern, word) in patterns {
            if let Some(pattern) = pattern {
                let said = self.word(attribute, name, &pattern.0);
                push(read, word, Literal::of(&pattern.0), depth, said);
            }
        }
        let formats: [(&str, &Option<Mark>, &str); 5] = [
            ("email", &words.email, "email"),
            ("url", &words.url, "uri"),
            ("ip", &words.ip, "ip"),
            ("ipv4", &words.ipv4, "ipv4"),
            ("ipv6", &words.ipv6, "ipv6"),
        ];
        for (name, mark, format) in formats {
            if let Some(mark) = mark {
                let said = self.word(attribute, name, &mark.span);
                let value = Literal::Known(Value::String(format.to_owned()));
                push(read, Word::Keyword("format".to_owned()), value, depth, said);
            }
        }
        if let Some(inner) = &words.inner {
            self.demands(attribute, depth + 1, &inner.0, read);
        }
    }

    /// Returns the type from which serde reads the value (`from`, `try_from`), which determines the
    /// schema.
    pub(super) fn read_from(&self, attributes: &[Attribute]) -> Option<Type> {
        let all = Attributes::new(attributes);
        let mut found = None;
        for attribute in all.all().iter().filter(|it| it.path().is_ident("serde")) {
            // `SerdeAttrs` reports errors.
            let _ = attribute.parse_nested_meta(|meta| {
                let is_from = meta.path.is_ident("from") || meta.path.is_ident("try_from");
                if !meta.input.peek(syn::Token![=]) {
                    parse_group(&meta)?;
                    return Ok(());
                }
                let value: Expr = meta.value()?.parse()?;
                if let Some(text) = as_literal(&value).filter(|_| is_from) {
                    found = text.parse::<syn::Type>().ok();
                }
                Ok(())
            });
        }
        Some(types::read(&found?, &self.comments, self.base))
    }

    fn word(&self, attribute: &str, word: &str, node: &impl syn::spanned::Spanned) -> Said {
        Said {
            shown: format!("#[{attribute}({word})]"),
            place: self.place(&node.span()),
        }
    }
}

/// Adds a constraint, unless an attribute read earlier already sets it: schemars' own take
/// precedence.
fn push(read: &mut SchemaAttrs, word: Word, value: Literal, depth: usize, said: Said) {
    let attribute = |said: &Said| said.shown.split('(').next().map(str::to_owned);
    let is_said = read.demands.iter().any(|demand| {
        let other = attribute(&demand.said) != attribute(&said);
        demand.word == word && demand.depth == depth && other && !matches!(word, Word::Rule(_))
    });
    if !is_said {
        read.demands.push(Demand {
            word,
            value,
            depth,
            said,
        });
    }
}

pub(super) fn as_literal(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text),
        _ => None,
    }
}

/// Returns the tokens of the group after a word, if any.
fn parse_group(meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<TokenStream> {
    if !meta.input.peek(syn::token::Paren) {
        return Ok(TokenStream::new());
    }
    let content;
    syn::parenthesized!(content in meta.input);
    content.parse()
}
