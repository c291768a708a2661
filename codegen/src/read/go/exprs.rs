//! Parses types and constant values.

use super::{
    parse::{MAX_DEPTH, Parsed, Parser, SyntaxError},
    scan::{Kind, is_keyword},
    syntax::{ConstExpr, FieldSpec, Owner, Span, TypeExpr},
};

impl Parser<'_> {
    /// Runs a parser one nesting level deeper.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(SyntaxError {
                message: format!("this nests deeper than {MAX_DEPTH} levels"),
                label: "too deep".to_owned(),
                range: self.token.range(),
            });
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// Parses a type.
    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        self.deeper(Self::type_expr_here)
    }

    fn type_expr_here(&mut self) -> Parsed<TypeExpr> {
        let start = self.token.start;
        match self.token.kind {
            Kind::Sign(b'*') => {
                self.advance()?;
                Ok(TypeExpr::Pointer(Box::new(self.type_expr()?)))
            }
            Kind::Sign(b'(') => {
                self.advance()?;
                let ty = self.type_expr()?;
                self.expect(b')')?;
                Ok(ty)
            }
            Kind::Sign(b'[') => {
                self.advance()?;
                self.array()
            }
            Kind::Operator if self.text_of(&self.token.range()) == "<-" => {
                self.advance()?;
                if self.word() != "chan" {
                    return self.error("`chan`");
                }
                self.channel(start)
            }
            Kind::Word => match self.word() {
                "struct" => self.structure(),
                "map" => self.map(),
                "interface" => self.interface(start),
                "chan" => self.channel(start),
                "func" => self.function_type(start),
                _ => self.named(start),
            },
            _ => self.error("a type"),
        }
    }

    /// Parses `]T` or `N]T`, after the opening bracket.
    pub(super) fn array(&mut self) -> Parsed<TypeExpr> {
        if self.eat(b']')? {
            return Ok(TypeExpr::Slice(Box::new(self.type_expr()?)));
        }
        let length = self.length()?;
        Ok(TypeExpr::Array(length, Box::new(self.type_expr()?)))
    }

    /// Parses `N]`; returns the number if it is a literal.
    fn length(&mut self) -> Parsed<Option<u64>> {
        let text = self.text_of(&self.token.range()).replace('_', "");
        let is_integer = self.token.kind == Kind::Integer;
        let mut length = is_integer.then(|| integer(&text)).flatten();
        self.skip_item()?;
        while !self.is(b']') {
            length = None;
            self.skip_item()?;
        }
        self.advance()?;
        Ok(length)
    }

    fn map(&mut self) -> Parsed<TypeExpr> {
        self.advance()?;
        self.expect(b'[')?;
        let key = self.type_expr()?;
        self.expect(b']')?;
        let value = self.type_expr()?;
        Ok(TypeExpr::Map(Box::new(key), Box::new(value)))
    }

    fn interface(&mut self, start: usize) -> Parsed<TypeExpr> {
        let end = self.token.end;
        self.advance()?;
        if !self.is(b'{') {
            return self.error("`{`");
        }
        let is_empty = self.peek() == Some(b'}');
        self.skip_balanced()?;
        Ok(if is_empty {
            TypeExpr::Any
        } else {
            TypeExpr::Interface(start..end)
        })
    }

    fn channel(&mut self, start: usize) -> Parsed<TypeExpr> {
        let end = self.token.end;
        self.advance()?;
        if self.token.kind == Kind::Operator {
            self.advance()?;
        }
        self.type_expr()?;
        Ok(TypeExpr::Other(start..end))
    }

    fn function_type(&mut self, start: usize) -> Parsed<TypeExpr> {
        let end = self.token.end;
        self.advance()?;
        if !self.is(b'(') {
            return self.error("`(`");
        }
        self.signature()?;
        Ok(TypeExpr::Other(start..end))
    }

    /// Parses `T`, `p.T`, or an instance of either.
    fn named(&mut self, start: usize) -> Parsed<TypeExpr> {
        let word = self.word();
        if is_keyword(word) {
            return self.error("a type");
        }
        let first = self.name()?;
        let mut end = first.end;
        let ty = if self.eat(b'.')? {
            let name = self.name()?;
            end = name.end;
            TypeExpr::Qualified(first, name)
        } else {
            TypeExpr::Name(first)
        };
        if self.is(b'[') {
            self.skip_balanced()?;
            return Ok(TypeExpr::Other(start..end));
        }
        Ok(ty)
    }

    fn structure(&mut self) -> Parsed<TypeExpr> {
        self.advance()?;
        let open = self.token;
        self.expect(b'{')?;
        let mut fields = Vec::new();
        while !self.is(b'}') {
            if self.token.kind == Kind::End {
                return Err(SyntaxError {
                    message: "the struct is not closed".to_owned(),
                    label: "this brace is not closed".to_owned(),
                    range: open.range(),
                });
            }
            let number = self.file.fields;
            self.file.fields += 1;
            let doc = self.lead;
            self.own_inside(doc, |_| Owner::Field(number));
            fields.push(self.field(doc, number)?);
            self.statement_end()?;
        }
        self.disown(self.cursor);
        self.advance()?;
        Ok(TypeExpr::Struct(fields))
    }

    fn field(&mut self, doc: Option<usize>, number: usize) -> Parsed<FieldSpec> {
        let (names, embedded, ty) = if self.is(b'*') {
            let ty = self.type_expr()?;
            (embedded_name(&ty).into_iter().collect(), true, ty)
        } else {
            self.named_field()?
        };
        if names.is_empty() {
            return self.error("the name of the embedded type");
        }
        let tag = if self.token.kind == Kind::String {
            let range = self.token.range();
            self.advance()?;
            Some(range)
        } else {
            None
        };
        Ok(FieldSpec {
            names,
            embedded,
            doc,
            number,
            tag,
            ty,
        })
    }

    /// Parses a field that starts with a name: its own, or that of the embedded type.
    fn named_field(&mut self) -> Parsed<(Vec<Span>, bool, TypeExpr)> {
        let first = self.name()?;
        match self.token.kind {
            Kind::Sign(b'.') => {
                self.advance()?;
                let name = self.name()?;
                let mut ty = TypeExpr::Qualified(first.clone(), name.clone());
                if self.is(b'[') {
                    self.skip_balanced()?;
                    ty = TypeExpr::Other(first.start..name.end);
                }
                Ok((vec![name], true, ty))
            }
            Kind::String | Kind::Semicolon { .. } | Kind::Sign(b'}') => {
                Ok((vec![first.clone()], true, TypeExpr::Name(first)))
            }
            Kind::Sign(b'[') => self.array_field_or_instance(first),
            _ => {
                let mut names = vec![first];
                while self.eat(b',')? {
                    names.push(self.name()?);
                }
                Ok((names, false, self.type_expr()?))
            }
        }
    }

    /// Distinguishes `A []T` and `A [N]T`, which are fields, from `A[T]`, which embeds an instance.
    fn array_field_or_instance(&mut self, first: Span) -> Parsed<(Vec<Span>, bool, TypeExpr)> {
        self.advance()?;
        if self.is(b']') {
            return Ok((vec![first], false, self.array()?));
        }
        let length = self.length()?;
        let ends = matches!(
            self.token.kind,
            Kind::String | Kind::Semicolon { .. } | Kind::Sign(b'}')
        );
        if ends {
            let range = first.clone();
            return Ok((vec![first], true, TypeExpr::Other(range)));
        }
        let element = self.type_expr()?;
        let ty = TypeExpr::Array(length, Box::new(element));
        Ok((vec![first], false, ty))
    }

    /// Parses the value of a constant. Only literals, names, conversions and concatenations are
    /// interpreted.
    pub(super) fn const_expr(&mut self) -> Parsed<ConstExpr> {
        let mut terms = Vec::new();
        let mut known = true;
        let ends = |parser: &Self| {
            matches!(
                parser.token.kind,
                Kind::Sign(b',' | b')') | Kind::Semicolon { .. } | Kind::End
            )
        };
        while known || !ends(self) {
            match self.deeper(Self::const_term)? {
                Some(term) => terms.push(term),
                None => known = false,
            }
            match self.token.kind {
                _ if ends(self) => break,
                Kind::Sign(b'+') => self.advance()?,
                _ => {
                    known = false;
                    self.skip_item()?;
                }
            }
        }
        if !known {
            return Ok(ConstExpr::Other);
        }
        Ok(match terms.len() {
            1 => terms.remove(0),
            _ => ConstExpr::Concat(terms),
        })
    }

    fn const_term(&mut self) -> Parsed<Option<ConstExpr>> {
        let range = self.token.range();
        match self.token.kind {
            Kind::String => {
                self.advance()?;
                Ok(Some(ConstExpr::String(range)))
            }
            Kind::Integer => {
                self.advance()?;
                Ok(Some(ConstExpr::Integer(range, false)))
            }
            Kind::Sign(b'-') => {
                self.advance()?;
                let range = self.token.range();
                if self.token.kind != Kind::Integer {
                    return Ok(None);
                }
                self.advance()?;
                Ok(Some(ConstExpr::Integer(range, true)))
            }
            Kind::Sign(b'(') => {
                self.advance()?;
                let inner = self.const_expr()?;
                self.expect(b')')?;
                Ok(Some(inner))
            }
            Kind::Word if !is_keyword(self.word()) => self.const_name(range).map(Some),
            Kind::Sign(b',' | b')') | Kind::Semicolon { .. } | Kind::End => self.error("a value"),
            _ => Ok(None),
        }
    }

    fn const_name(&mut self, first: Span) -> Parsed<ConstExpr> {
        self.advance()?;
        let second = if self.eat(b'.')? {
            Some(self.name()?)
        } else {
            None
        };
        if !self.is(b'(') {
            return Ok(match second {
                Some(second) => ConstExpr::Qualified(first, second),
                None => ConstExpr::Name(first),
            });
        }
        self.advance()?;
        if self.is(b')') {
            self.advance()?;
            return Ok(ConstExpr::Other);
        }
        let inner = self.const_expr()?;
        if !self.is(b')') {
            while !self.is(b')') {
                self.skip_item()?;
            }
            self.advance()?;
            return Ok(ConstExpr::Other);
        }
        self.advance()?;
        Ok(match second {
            Some(second) => ConstExpr::Convert(Some(first), second, Box::new(inner)),
            None => ConstExpr::Convert(None, first, Box::new(inner)),
        })
    }
}

/// Returns the name of an embedded field.
fn embedded_name(ty: &TypeExpr) -> Option<Span> {
    match ty {
        TypeExpr::Name(name) | TypeExpr::Qualified(_, name) | TypeExpr::Other(name) => {
            Some(name.clone())
        }
        TypeExpr::Pointer(inner) => embedded_name(inner),
        _ => None,
    }
}

/// Parses an integer in any of Go's bases.
fn integer(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(digits) = lower.strip_prefix("0x") {
        (digits, 16)
    } else if let Some(digits) = lower.strip_prefix("0b") {
        (digits, 2)
    } else if let Some(digits) = lower.strip_prefix("0o") {
        (digits, 8)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (lower.as_str(), 8)
    } else {
        (lower.as_str(), 10)
    };
    u64::from_str_radix(digits, radix).ok()
}
