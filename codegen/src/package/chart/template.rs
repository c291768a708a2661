//! A template of a chart: an object printed as YAML, in which holes are filled with Helm's
//! expressions.
//!
//! A hole is a token in the object. The object is printed as any other, and then expressions take
//! the place of tokens. Text of the object that Helm would take for an expression is escaped.

use serde_json::{Map, Value};

use crate::output::yaml::to_yaml;

/// In the text of a [block](Template::block), stands for a number of spaces: that of the block's
/// line, and two more.
pub(super) const INDENT: &str = "@indent";
/// As [`INDENT`], without the two.
pub(super) const SAME: &str = "@same";

/// An object with holes.
pub(super) struct Template {
    /// What each token starts with; the object does not contain it.
    mark: String,
    holes: Vec<Hole>,
}

enum Hole {
    /// Takes the place of the token.
    Inline(String),
    /// Takes the place of the token's line.
    Block(String),
}

impl Template {
    /// The template of an object.
    pub(super) fn new(object: &Value) -> Self {
        let text = object.to_string();
        let mut number = 0_usize;
        let mark = loop {
            let mark = format!("hole{number}x");
            if !text.contains(&mark) {
                break mark;
            }
            number += 1;
        };
        Self {
            mark,
            holes: Vec::new(),
        }
    }

    fn token(&mut self, hole: Hole) -> String {
        self.holes.push(hole);
        // The last letter ends the number.
        format!("{}{}z", self.mark, self.holes.len() - 1)
    }

    /// A token for an expression, which may stand within a text.
    pub(super) fn inline(&mut self, expression: &str) -> String {
        self.token(Hole::Inline(format!("{{{{ {expression} }}}}")))
    }

    /// A token for lines: as the item of a list, or as the value of a key, which they replace too.
    pub(super) fn block(&mut self, lines: &str) -> Value {
        self.token(Hole::Block(lines.to_owned())).into()
    }

    /// Puts a field of an object, if `setting` is not empty, with its contents.
    pub(super) fn field(&mut self, object: &mut Map<String, Value>, name: &str, setting: &str) {
        let lines = format!(
            "{{{{- with .Values.{setting} }}}}\n{name}:\n  {{{{- toYaml . | nindent {INDENT} }}}}\n{{{{- end }}}}"
        );
        let block = self.block(&lines);
        object.insert(name.to_owned(), block);
    }

    /// Appends items or members from a setting: lines of its list or map.
    pub(super) fn more(&mut self, setting: &str) -> Value {
        self.block(&format!(
            "{{{{- with .Values.{setting} }}}}\n{{{{- toYaml . | nindent {SAME} }}}}\n{{{{- end }}}}"
        ))
    }

    /// Adds members from a setting to the map at `name`.
    pub(super) fn members(&mut self, object: &mut Map<String, Value>, name: &str, setting: &str) {
        match object.get_mut(name).and_then(Value::as_object_mut) {
            Some(members) => {
                let more = self.more(setting);
                // The key only sorts the lines to the end.
                members.insert(format!("~{setting}"), more);
            }
            None => self.field(object, name, setting),
        }
    }

    /// Prints the object, with expressions in the place of tokens.
    pub(super) fn print(&self, object: &Value) -> String {
        let printed = to_yaml(object).replace("{{", "{{ \"{{\" }}");
        let mut text = String::with_capacity(printed.len());
        for line in printed.lines() {
            match self.block_of(line) {
                Some(block) => self.print_block(&mut text, line, block),
                None => text += &self.filled(line),
            }
            text.push('\n');
        }
        text
    }

    /// The block whose token is on a line.
    fn block_of(&self, line: &str) -> Option<&str> {
        let (_, rest) = line.split_once(&self.mark)?;
        let (number, _) = rest.split_once('z')?;
        match self.holes.get(number.parse::<usize>().ok()?)? {
            Hole::Block(block) => Some(block),
            Hole::Inline(_) => None,
        }
    }

    fn print_block(&self, text: &mut String, line: &str, block: &str) {
        let indent = line.len() - line.trim_start().len();
        let spaces = &line[..indent];
        let block = block
            .replace(INDENT, &(indent + 2).to_string())
            .replace(SAME, &indent.to_string());
        let lines = block.lines().map(|line| format!("{spaces}{line}"));
        *text += &self.filled(&lines.collect::<Vec<_>>().join("\n"));
    }

    fn filled(&self, line: &str) -> String {
        let mut rest = line;
        let mut text = String::new();
        while let Some((before, after)) = rest.split_once(&self.mark) {
            let (number, after) = after.split_once('z').unwrap_or((after, ""));
            let hole = number.parse::<usize>().ok();
            text += before;
            if let Some(Hole::Inline(expression)) = hole.and_then(|hole| self.holes.get(hole)) {
                text += expression;
            }
            rest = after;
        }
        text + rest
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn holes_are_filled_and_other_braces_are_escaped() {
        let object = json!({"text": "hole0x0z of {{ .Name }}"});
        let mut template = Template::new(&object);
        let mut members = object.as_object().unwrap().clone();
        let name = template.inline(".Values.name");
        members.insert(
            "args".into(),
            json!([format!("--a={name}/b"), template.more("args")]),
        );
        template.field(&mut members, "zone", "zone");
        let expected = "args:\n- --a={{ .Values.name }}/b\n\
            {{- with .Values.args }}\n{{- toYaml . | nindent 0 }}\n{{- end }}\n\
            text: hole0x0z of {{ \"{{\" }} .Name }}\n\
            {{- with .Values.zone }}\nzone:\n  {{- toYaml . | nindent 2 }}\n{{- end }}\n";
        assert_eq!(template.print(&Value::Object(members)), expected);
    }
}
