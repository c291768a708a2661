//! The namespace of a release: it takes the place of the operator's own namespace wherever the
//! objects name that.

use serde_json::Value;

use super::template::Template;

/// The lists and maps whose texts may contain the namespace, between other words:
/// `--flag=NAMESPACE/name`, `service.NAMESPACE.svc`.
const TEXTS: [&str; 5] = ["args", "command", "dnsNames", "annotations", "env"];

/// Where CRDs have descriptions and examples.
const SCHEMAS: &str = "versions";

/// Replaces the namespace by Helm's expression; returns the places of texts that contain it still.
pub(super) fn follow(
    template: &mut Template,
    object: &mut Value,
    namespace: &str,
    expression: &str,
) -> Vec<String> {
    let token = template.inline(expression);
    let mut walk = Walk {
        namespace,
        token: &token,
        left: Vec::new(),
    };
    walk.value(object, "", false);
    walk.left
}

struct Walk<'a> {
    namespace: &'a str,
    token: &'a str,
    left: Vec<String>,
}

impl Walk<'_> {
    fn value(&mut self, value: &mut Value, place: &str, is_text: bool) {
        match value {
            Value::Object(members) => {
                for (name, value) in members.iter_mut().filter(|(name, _)| *name != SCHEMAS) {
                    let place = format!("{place}.{name}");
                    match value {
                        Value::String(text) if name == "namespace" && text == self.namespace => {
                            self.token.clone_into(text);
                        }
                        _ => self.value(value, &place, is_text || TEXTS.contains(&name.as_str())),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.value(item, &format!("{place}[{index}]"), is_text);
                }
            }
            Value::String(text) => {
                let replaced = replaced(text, self.namespace, self.token);
                if is_text {
                    *text = replaced;
                } else if *text != replaced {
                    self.left.push(place.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Replaces a name where it is not part of a longer one.
fn replaced(text: &str, name: &str, new: &str) -> String {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '-');
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(name) {
        let starts = !is_part(
            before
                .chars()
                .next_back()
                .or_else(|| out.chars().next_back()),
        );
        let is_whole = starts && !is_part(after.chars().next());
        out += before;
        out += if is_whole { new } else { name };
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_namespace_is_replaced_where_it_is_a_whole_name() {
        let check = |text: &str, expected: &str| assert_eq!(replaced(text, "a-b", "N"), expected);
        rows![check:
            ("a-b", "N"),
            ("--flag=a-b/service", "--flag=N/service"),
            ("s.a-b.svc,t.a-b.svc", "s.N.svc,t.N.svc"),
            ("a-bc/xa-b/a-b-c", "a-bc/xa-b/a-b-c"),
            ("a-ba-b", "a-ba-b"),
        ];
    }

    #[test]
    fn what_is_not_replaced_is_returned() {
        let mut object = json!({
            "metadata": {"namespace": "ns", "labels": {"team": "ns"}},
            "subjects": [{"namespace": "ns"}, {"namespace": "other"}],
            "spec": {"args": ["--a=ns/b"], "versions": [{"description": "of ns"}]},
        });
        let mut template = Template::new(&object);
        let left = follow(&mut template, &mut object, "ns", ".Release.Namespace");
        assert_eq!(left, [".metadata.labels.team"]);
        let printed = template.print(&object);
        assert_eq!(printed.matches("{{ .Release.Namespace }}").count(), 3);
        assert!(printed.contains("- --a={{ .Release.Namespace }}/b"));
    }
}
