//! Structs, enums and aliases, written line by line where the result equals prettyplease's. Types
//! from CRDs consist of little else, and tokenizing, parsing and printing them took a quarter of
//! the generation time.
//!
//! Types that are more than paths, and lines that may be too long, are parsed and formatted like
//! all other code.

use std::str::FromStr as _;

use proc_macro2::TokenStream;

use super::print;

/// The maximum line length that is certain not to be broken.
const WIDTH: usize = 80;

const INDENT: &str = "    ";

/// A type that is being written, and the items after it.
#[derive(Debug)]
pub(crate) struct Lines {
    text: String,
    /// The visibility of the type and its fields.
    visibility: &'static str,
    indent: &'static str,
    /// Whether the text is in its final format.
    is_done: bool,
    after: TokenStream,
}

impl Lines {
    pub(crate) fn new(visibility: &'static str) -> Self {
        Self {
            text: String::new(),
            visibility,
            indent: "",
            is_done: true,
            after: TokenStream::new(),
        }
    }

    /// Adds a line of documentation with its leading space, or the [marker](super::Comments::add)
    /// of a comment.
    pub(crate) fn comment(&mut self, line: &str) {
        self.push(&["///", line]);
    }

    /// Adds the derives of the type.
    pub(crate) fn derive(&mut self, names: &[&str]) {
        self.line(&["#[derive(", &names.join(", "), ")]"]);
    }

    /// Adds the attribute of an enum's default variant.
    pub(crate) fn default(&mut self) {
        self.push(&["#[default]"]);
    }

    /// Adds other attributes.
    pub(crate) fn attributes(&mut self, tokens: &TokenStream) {
        if !tokens.is_empty() {
            self.is_done = false;
            self.push(&[&tokens.to_string()]);
        }
    }

    /// Starts the body of a `struct` or `enum`.
    pub(crate) fn start(&mut self, keyword: &str, name: &str) {
        self.line(&[self.visibility, " ", keyword, " ", name, " {"]);
        self.indent = INDENT;
    }

    pub(crate) fn field(&mut self, name: &str, ty: &str) {
        self.is_done &= is_path(ty);
        self.line(&[self.visibility, " ", name, ": ", ty, ","]);
    }

    /// Adds a variant, which may hold a value.
    pub(crate) fn variant(&mut self, name: &str, ty: Option<&str>) {
        match ty {
            Some(ty) => {
                self.is_done &= is_path(ty);
                self.line(&[name, "(", ty, "),"]);
            }
            None => self.line(&[name, ","]),
        }
    }

    /// Ends the body, which must not be empty.
    pub(crate) fn end(&mut self) {
        self.is_done &= !self.text.ends_with("{\n");
        self.indent = "";
        self.push(&["}"]);
    }

    pub(crate) fn alias(&mut self, name: &str, ty: &str) {
        self.is_done &= is_path(ty);
        self.line(&[self.visibility, " type ", name, " = ", ty, ";"]);
    }

    /// Adds items after the type.
    pub(crate) fn after(&mut self, items: TokenStream) {
        self.after.extend(items);
    }

    /// Adds a line that prettyplease would break if it is too long.
    fn line(&mut self, parts: &[&str]) {
        let start = self.text.len();
        self.push(parts);
        self.is_done &= self.text.len() - start <= WIDTH;
    }

    fn push(&mut self, parts: &[&str]) {
        self.text.push_str(self.indent);
        self.text.extend(parts.iter().copied());
        self.text.push('\n');
    }

    /// The formatted text.
    pub(super) fn finish(self) -> Result<String, String> {
        let mut text = self.text;
        if !self.is_done {
            let tokens = TokenStream::from_str(&text).map_err(|error| error.to_string())?;
            text = print(tokens)?;
        }
        if !self.after.is_empty() {
            text.push_str(&print(self.after)?);
        }
        Ok(text)
    }
}

/// Whether a type is a path, with only paths as generic arguments, spelled as prettyplease does.
fn is_path(ty: &str) -> bool {
    path(ty).is_some_and(str::is_empty)
}

/// The rest of the string after the path that it starts with.
fn path(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix("::").unwrap_or(text);
    loop {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#';
        let after = rest.trim_start_matches(is_name);
        if after.len() == rest.len() {
            return None;
        }
        match after.strip_prefix("::") {
            Some(next) => rest = next,
            None => {
                rest = after;
                break;
            }
        }
    }
    let Some(mut arguments) = rest.strip_prefix('<') else {
        return Some(rest);
    };
    loop {
        let after = path(arguments)?;
        if let Some(rest) = after.strip_prefix('>') {
            return Some(rest);
        }
        arguments = after.strip_prefix(", ")?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks every kind of item against prettyplease's output for it, whether or not the type is
    /// recognized as a path.
    fn check(ty: &str, is_known: bool) {
        let make = || {
            let mut lines = Lines::new("pub");
            lines.comment(" Documentation.");
            lines.derive(&["Clone", "Debug"]);
            lines.start("struct", "A");
            lines.comment(" A field.");
            lines.field("r#type", ty);
            lines.field("other", "u8");
            lines.end();
            lines.alias("B", ty);
            lines.start("enum", "C");
            lines.default();
            lines.variant("D", None);
            lines.comment(" A variant.");
            lines.variant("E", Some(ty));
            lines.end();
            lines
        };
        assert_eq!(make().is_done, is_known, "{ty}");
        let laid_out = TokenStream::from_str(&make().text)
            .ok()
            .and_then(|tokens| print(tokens).ok());
        assert_eq!(make().finish().ok(), laid_out, "{ty}");
    }

    #[test]
    fn lines_are_as_prettyplease_lays_them_out() {
        for ty in [
            "String",
            "Option<Vec<a::B<C, D<E>>>>",
            "::k8s_openapi::api::core::v1::Pod",
            "BTreeMap<String, r#type::A>",
            "super::A_1",
        ] {
            check(ty, true);
        }
        let name = "A".repeat(WIDTH);
        for ty in [
            "Vec<A,B>",
            "Vec<A",
            "a:b",
            "a::",
            "Vec< A>",
            "Vec<A >",
            "Vec<A, >",
            "Vec::<A>",
            "A<B = C>",
            "(A, B)",
            "&'static str",
            "[u8; 4]",
            "dyn A",
            "<A as B>::C",
            "A<B>::C",
            &name,
            &format!("Vec<{name}, {name}>"),
            "no type",
            "",
        ] {
            check(ty, false);
        }
    }

    #[test]
    fn attributes_of_other_forms_and_items_after_are_laid_out() {
        let mut lines = Lines::new("pub(crate)");
        lines.attributes(&quote::quote!(#[serde(default)]));
        lines.start("struct", "A");
        lines.field("a", "u8");
        lines.end();
        lines.after(quote::quote!(impl B for A {}));
        let text =
            "#[serde(default)]\npub(crate) struct A {\n    pub(crate) a: u8,\n}\nimpl B for A {}\n";
        assert_eq!(lines.finish().as_deref(), Ok(text));
    }
}
