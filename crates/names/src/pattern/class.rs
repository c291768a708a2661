//! Character classes.

use super::{SyntaxError, Translator, error, push_literal};

const POSIX_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

impl Translator<'_> {
    pub(super) fn unicode_class(&mut self) -> Result<(), SyntaxError> {
        let start = self.pos;
        let mut negated = self.peek(1) == Some('P');
        let (mut name, end) = if self.peek(2) == Some('{') {
            match self.chars.iter().skip(start).position(|c| *c == '}') {
                Some(length) => (self.text(start + 3, start + length), start + length + 1),
                None => {
                    let rest = self.text(start, self.chars.len());
                    return Err(error("invalid character class range", rest));
                }
            }
        } else {
            (self.text(start + 2, start + 3), start + 3)
        };
        if let Some(rest) = name.strip_prefix('^') {
            negated = !negated;
            name = rest.to_owned();
        }
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(error(
                "invalid character class range",
                self.text(start, end),
            ));
        }
        let class = format!("\\{}{{{name}}}", if negated { 'P' } else { 'p' });
        if !(self.is_class)(&class) {
            return Err(error(
                "invalid character class range",
                self.text(start, end),
            ));
        }
        self.out.push_str(&class);
        self.pos = end;
        Ok(())
    }

    pub(super) fn class(&mut self) -> Result<(), SyntaxError> {
        let start = self.pos;
        self.copy(1);
        if self.peek(0) == Some('^') {
            self.copy(1);
        }
        let mut first = true;
        loop {
            match self.peek(0) {
                None => {
                    return Err(error(
                        "missing closing ]",
                        self.text(start, self.chars.len()),
                    ));
                }
                Some(']') if !first => {
                    self.copy(1);
                    return Ok(());
                }
                Some(_) => self.class_item(start)?,
            }
            first = false;
        }
    }

    fn class_item(&mut self, start: usize) -> Result<(), SyntaxError> {
        if self.peek(0) == Some('[') && self.peek(1) == Some(':') {
            let rest = self.text(self.pos + 2, self.chars.len());
            if let Some(length) = rest.find(":]") {
                let name = rest.get(..length).unwrap_or_default();
                let end = self.pos + 2 + name.chars().count() + 2;
                if !POSIX_CLASSES.contains(&name.trim_start_matches('^')) {
                    return Err(error(
                        "invalid character class range",
                        self.text(self.pos, end),
                    ));
                }
                self.copy(end - self.pos);
                return Ok(());
            }
        }
        if self.peek(0) == Some('\\') {
            match self.peek(1) {
                Some(c @ ('d' | 's' | 'w' | 'D' | 'S' | 'W')) => {
                    let (negated, set) = perl_class(c);
                    if negated {
                        self.out.push_str("[^");
                        self.out.push_str(set);
                        self.out.push(']');
                    } else {
                        self.out.push_str(set);
                    }
                    self.pos += 2;
                    return Ok(());
                }
                Some('p' | 'P') => return self.unicode_class(),
                _ => {}
            }
        }
        let from = self.pos;
        let low = self.class_char(start)?;
        let ranged = self.peek(0) == Some('-') && !matches!(self.peek(1), Some(']') | None);
        push_literal(&mut self.out, low);
        if ranged {
            self.pos += 1;
            let high = self.class_char(start)?;
            if high < low {
                return Err(error(
                    "invalid character class range",
                    self.text(from, self.pos),
                ));
            }
            self.out.push('-');
            push_literal(&mut self.out, high);
        }
        Ok(())
    }

    fn class_char(&mut self, start: usize) -> Result<char, SyntaxError> {
        match self.peek(0) {
            None => Err(error(
                "missing closing ]",
                self.text(start, self.chars.len()),
            )),
            Some('\\') => {
                let (c, length) = self.single_escape()?;
                self.pos += length;
                Ok(c)
            }
            Some(c) => {
                self.pos += 1;
                Ok(c)
            }
        }
    }
}

/// The ASCII set of a Perl class, and whether the class is its complement.
pub(super) fn perl_class(c: char) -> (bool, &'static str) {
    let set = match c.to_ascii_lowercase() {
        'd' => "0-9",
        's' => "\\t\\n\\x0C\\r ",
        _ => "0-9A-Za-z_",
    };
    (c.is_ascii_uppercase(), set)
}
