//! Parses declarations: imports, types, constants and methods; skips variables and functions.

use super::{
    parse::{Parsed, Parser},
    scan::{Kind, is_keyword},
    syntax::{ConstSpec, ImportSpec, Method, Owner, Span, TypeSpec},
};

impl Parser<'_> {
    /// Parses the package clause.
    pub(super) fn head(&mut self) -> Parsed<()> {
        self.file.doc = self.lead;
        self.file.package = self.clause()?;
        self.own(None, |_| Owner::Package);
        self.statement_end()?;
        Ok(())
    }

    /// Parses declarations up to the end of the file.
    pub(super) fn declarations(&mut self) -> Parsed<()> {
        loop {
            match self.word() {
                "import" => self.declaration("imports", Self::import)?,
                "type" => self.types()?,
                "const" => self.consts()?,
                "var" => self.declaration("variables", |parser, _| parser.variable())?,
                "func" => self.function()?,
                _ => match self.token.kind {
                    Kind::End => break,
                    Kind::Semicolon { .. } => {}
                    _ => return self.error("a declaration"),
                },
            }
            match self.token.kind {
                Kind::End => break,
                Kind::Semicolon { .. } => self.advance()?,
                _ => return self.error("the end of the line or `;`"),
            }
        }
        Ok(())
    }

    /// Parses the entries of an import or variable declaration, which have no markers.
    fn declaration(
        &mut self,
        what: &'static str,
        entry: impl Fn(&mut Self, Option<usize>) -> Parsed<()>,
    ) -> Parsed<()> {
        let doc = self.lead;
        self.own(doc, |is_doc| {
            if is_doc {
                Owner::Declaration(what)
            } else {
                Owner::Package
            }
        });
        self.advance()?;
        if !self.eat(b'(')? {
            entry(self, doc)?;
            self.disown(self.cursor);
            return Ok(());
        }
        while !self.is(b')') {
            let doc = self.lead;
            self.disown(self.cursor);
            entry(self, doc)?;
            self.statement_end()?;
        }
        self.disown(self.cursor);
        self.advance()
    }

    fn import(&mut self, _doc: Option<usize>) -> Parsed<()> {
        let start = self.token.start;
        let name = match self.token.kind {
            Kind::Sign(b'.') => {
                let range = self.token.range();
                self.advance()?;
                Some(range)
            }
            Kind::Word => Some(self.name()?),
            _ => None,
        };
        if self.token.kind != Kind::String {
            return self.error("an import path");
        }
        let path = self.text_of(&self.token.range());
        let path = path.trim_matches(['"', '`']).to_owned();
        let place = start..self.token.end;
        self.advance()?;
        self.file.imports.push(ImportSpec { name, path, place });
        Ok(())
    }

    fn variable(&mut self) -> Parsed<()> {
        if self.word().is_empty() {
            return self.error("a name");
        }
        self.skip_statement()
    }

    /// Parses a type declaration, of a single type or of several in parentheses.
    fn types(&mut self) -> Parsed<()> {
        let doc = self.lead;
        let (from, index) = (self.cursor, self.file.types.len());
        self.own(doc, |is_doc| match is_doc {
            true => Owner::TypeDoc(index),
            false => Owner::TypeApart(index),
        });
        self.advance()?;
        if !self.is(b'(') {
            self.type_spec(doc)?;
            return Ok(());
        }
        for owner in self.file.owners.iter_mut().skip(from) {
            match owner {
                Owner::TypeDoc(_) => *owner = Owner::Declaration("several types"),
                Owner::TypeApart(_) => *owner = Owner::Package,
                _ => {}
            }
        }
        self.advance()?;
        while !self.is(b')') {
            let doc = self.lead;
            let index = self.file.types.len();
            self.own_inside(doc, |is_doc| match is_doc {
                true => Owner::TypeDoc(index),
                false => Owner::TypeApart(index),
            });
            self.type_spec(doc)?;
            self.statement_end()?;
        }
        self.disown(self.cursor);
        self.advance()
    }

    fn type_spec(&mut self, doc: Option<usize>) -> Parsed<()> {
        let name = self.name()?;
        let mut generics = None;
        let mut array = None;
        if self.is(b'[') {
            let start = self.token.start;
            self.advance()?;
            let is_name = !self.word().is_empty() && !is_keyword(self.word());
            if is_name
                && !matches!(
                    self.peek(),
                    Some(b']' | b'.' | b'(' | b'+' | b'-' | b'/' | b'%')
                )
            {
                while !self.is(b']') {
                    self.skip_item()?;
                }
                generics = Some(start..self.token.end);
                self.advance()?;
            } else {
                array = Some(self.array()?);
            }
        }
        let alias = array.is_none() && self.eat(b'=')?;
        let ty = match array {
            Some(array) => array,
            None => self.type_expr()?,
        };
        self.disown(self.cursor);
        self.file.types.push(TypeSpec {
            name,
            doc,
            alias,
            generics,
            ty,
        });
        Ok(())
    }

    fn consts(&mut self) -> Parsed<()> {
        let doc = self.lead;
        self.own(doc, |is_doc| {
            if is_doc {
                Owner::Declaration("constants")
            } else {
                Owner::Package
            }
        });
        self.advance()?;
        if !self.eat(b'(')? {
            self.const_spec(doc)?;
            // The trailing comment is known only now.
            if let (Some(last), None) = (self.file.consts.last_mut(), doc) {
                last.doc = self.behind;
            }
            return Ok(());
        }
        while !self.is(b')') {
            let doc = self.lead;
            self.own_inside(doc, |_| Owner::Declaration("constants"));
            self.const_spec(doc)?;
            let behind = self.statement_end()?;
            if let (Some(last), None) = (self.file.consts.last_mut(), doc) {
                last.doc = behind;
            }
        }
        self.disown(self.cursor);
        self.advance()
    }

    fn const_spec(&mut self, doc: Option<usize>) -> Parsed<()> {
        let mut names = vec![self.name()?];
        while self.eat(b',')? {
            names.push(self.name()?);
        }
        let ends = |parser: &Self| {
            matches!(
                parser.token.kind,
                Kind::Semicolon { .. } | Kind::Sign(b')') | Kind::End
            )
        };
        let ty = if self.is(b'=') || ends(self) {
            None
        } else {
            Some(self.type_expr()?)
        };
        let mut values = Vec::new();
        if self.eat(b'=')? {
            values.push(self.const_expr()?);
            while self.eat(b',')? {
                values.push(self.const_expr()?);
            }
        }
        let repeats = ty.is_none() && values.is_empty();
        self.disown(self.cursor);
        self.file.consts.push(ConstSpec {
            names,
            doc,
            ty,
            values,
            repeats,
        });
        Ok(())
    }

    /// Parses a function or method, of which only the name and receiver of marshalers matter.
    fn function(&mut self) -> Parsed<()> {
        let doc = self.lead;
        self.own(doc, |is_doc| {
            if is_doc {
                Owner::Declaration("a function")
            } else {
                Owner::Package
            }
        });
        self.advance()?;
        let receiver = if self.is(b'(') {
            self.receiver()?
        } else {
            None
        };
        let name = self.name()?;
        if let Some((receiver, pointer)) = receiver
            && matches!(self.text_of(&name), "MarshalJSON" | "MarshalText")
        {
            self.file.methods.push(Method {
                receiver,
                pointer,
                name,
            });
        }
        if self.is(b'[') {
            self.skip_balanced()?;
        }
        if !self.is(b'(') {
            return self.error("`(`");
        }
        self.signature()?;
        if self.is(b'{') {
            self.skip_balanced()?;
        }
        self.disown(self.cursor);
        Ok(())
    }

    /// Skips parameters and results; the current token is the opening parenthesis of the
    /// parameters.
    pub(super) fn signature(&mut self) -> Parsed<()> {
        self.skip_balanced()?;
        if self.is(b'(') {
            return self.skip_balanced();
        }
        let is_type = match self.token.kind {
            Kind::Word | Kind::Sign(b'*' | b'[') => true,
            Kind::Operator => self.text_of(&self.token.range()) == "<-",
            _ => false,
        };
        if is_type {
            self.type_expr()?;
        }
        Ok(())
    }

    /// Parses `(x *T[K])`: returns the type's name, and whether it is a pointer.
    fn receiver(&mut self) -> Parsed<Option<(Span, bool)>> {
        self.advance()?;
        let (mut last, mut pointer) = (None, false);
        while !self.is(b')') {
            match self.token.kind {
                Kind::Word => last = Some(self.token.range()),
                Kind::Sign(b'*') => pointer = true,
                _ => {}
            }
            self.skip_item()?;
        }
        self.advance()?;
        Ok(last.map(|last| (last, pointer)))
    }
}
