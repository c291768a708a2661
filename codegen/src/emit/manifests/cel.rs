//! Rules in CEL: whether they parse, and whether the names in them exist.
//!
//! The API server compiles rules when a CRD is created, and refuses the CRD if one does not compile. Names are resolved as far
//! as the schema tells types: a variable is `self`, `oldSelf` or a macro's, a field is one of its object's. What functions
//! return, and what a rule costs, is left to the API server. The parser is the `cel` crate's, which kube uses too.

use cel::{
    common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue},
    parser::PrattParser,
};

use super::schema::{PRESERVE, Schema};
use crate::suggest::closest;

/// How deep an expression may nest, as for the API server.
const MOST_DEEP: u16 = 250;

/// Names of types and of families of functions (`quantity`, `sets.contains`), which stand where variables do.
const NAMES: [&str; 36] = [
    "authorizer",
    "base64",
    "bool",
    "bytes",
    "cel",
    "cidr",
    "double",
    "duration",
    "dyn",
    "false",
    "format",
    "google",
    "int",
    "ip",
    "jsonpatch",
    "list",
    "lists",
    "map",
    "math",
    "null",
    "null_type",
    "optional",
    "optional_type",
    "quantity",
    "regex",
    "semver",
    "sets",
    "string",
    "strings",
    "timestamp",
    "true",
    "type",
    "uint",
    "url",
    "request",
    "namespaceObject",
];

/// Macros with variables.
const MACROS: [&str; 11] = [
    "all",
    "bind",
    "exists",
    "existsOne",
    "exists_one",
    "filter",
    "map",
    "optFlatMap",
    "optMap",
    "transformList",
    "transformMap",
];

/// A fault of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// In one line: what is wrong.
    pub(super) message: String,
    /// What to write instead; may be empty.
    pub(super) help: String,
}

/// The faults of an expression about values of a schema.
pub(super) fn faults(expression: &str, schema: &Schema) -> Vec<Fault> {
    let parser = PrattParser::new()
        .max_recursion_depth(MOST_DEEP)
        .enable_optional_syntax(true)
        .enable_ident_escape_syntax(true);
    let tree = match parser.parse(expression) {
        Ok(tree) => tree,
        Err(errors) => {
            let first = errors.errors.first();
            let (line, column) = first.map_or((1, 0), |error| error.pos);
            let message = first.map_or("not CEL", |error| error.msg.as_str());
            let message = message.lines().next().unwrap_or_default();
            return vec![Fault {
                message: format!("it does not parse: {message}"),
                help: format!("look at line {line}, column {}, of the rule", column.max(0)),
            }];
        }
    };
    let mut resolver = Resolver {
        scope: vec![("self", Some(schema)), ("oldSelf", Some(schema))],
        faults: Vec::new(),
    };
    resolver.type_of(&tree);
    resolver.faults
}

/// Resolves names; a value whose schema is not known has every field.
struct Resolver<'a> {
    scope: Vec<(&'a str, Option<&'a Schema>)>,
    faults: Vec<Fault>,
}

impl<'a> Resolver<'a> {
    /// The schema of an expression's value, if the names in it lead to one.
    fn type_of(&mut self, expr: &'a IdedExpr) -> Option<&'a Schema> {
        match &expr.expr {
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let owner = self.type_of(&select.operand)?;
                self.field(owner, &select.field)
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => {
                self.comprehension(comprehension);
                None
            }
            Expr::List(list) => {
                for element in &list.elements {
                    self.type_of(element);
                }
                None
            }
            Expr::Map(map) => {
                self.entries(map.entries.iter().map(|entry| &entry.expr));
                None
            }
            Expr::Struct(structure) => {
                self.entries(structure.entries.iter().map(|entry| &entry.expr));
                None
            }
            Expr::Literal(_) | Expr::Unspecified => None,
        }
    }

    fn entries(&mut self, entries: impl Iterator<Item = &'a EntryExpr>) {
        for entry in entries {
            match entry {
                EntryExpr::StructField(field) => drop(self.type_of(&field.value)),
                EntryExpr::MapEntry(entry) => {
                    self.type_of(&entry.key);
                    self.type_of(&entry.value);
                }
            }
        }
    }

    fn variable(&mut self, name: &'a str) -> Option<&'a Schema> {
        let mut scope = self.scope.iter().rev();
        if let Some((_, schema)) = scope.find(|(known, _)| *known == name) {
            return *schema;
        }
        // Variables that macros make for themselves have names that no expression can have.
        let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_plain && !NAMES.contains(&name) && !name.starts_with("__") {
            let own = self.scope.first().and_then(|(_, schema)| *schema);
            let is_field = own.is_some_and(|own| own.properties.contains_key(name));
            let known = self.scope.iter().map(|(name, _)| *name);
            let near = closest(name, known.chain(NAMES)).filter(|_| !is_field);
            self.faults.push(Fault {
                message: format!("there is no variable `{name}`"),
                help: match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the value is `self`: write `self.{name}`"),
                },
            });
        }
        None
    }

    /// The schema of a field, by its name in CEL.
    fn field(&mut self, owner: &'a Schema, field: &str) -> Option<&'a Schema> {
        if let Some(values) = &owner.additional {
            return Some(values);
        }
        let is_open = owner.words.contains_key(PRESERVE)
            || owner.words.contains_key("x-kubernetes-embedded-resource")
            || owner.words.contains_key("x-kubernetes-int-or-string");
        let ty = owner.ty()?;
        if is_open || (ty == "object" && owner.properties.is_empty()) {
            return None;
        }
        if ty != "object" {
            self.faults.push(Fault {
                message: format!("`{field}` is a field of {}", article(ty)),
                help: "only objects and maps have fields".to_owned(),
            });
            return None;
        }
        let mut properties = owner.properties.iter();
        if let Some((_, schema)) = properties.find(|(name, _)| escaped(name) == field) {
            return Some(schema);
        }
        let names: Vec<String> = owner.properties.keys().map(|name| escaped(name)).collect();
        let near = closest(field, names.iter().map(String::as_str));
        self.faults.push(Fault {
            message: format!("there is no field `{field}`"),
            help: match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the fields are {}", names.join(", ")),
            },
        });
        None
    }

    fn call(&mut self, call: &'a CallExpr) -> Option<&'a Schema> {
        let target = call
            .target
            .as_deref()
            .and_then(|target| self.type_of(target));
        if call.target.is_some() && MACROS.contains(&call.func_name.as_str()) {
            self.with_variables(call);
            return None;
        }
        let types: Vec<Option<&Schema>> = call.args.iter().map(|it| self.type_of(it)).collect();
        match call.func_name.as_str() {
            "_[_]" | "_[?_]" => {
                let owner = types.first().copied().flatten()?;
                owner.items.as_deref().or(owner.additional.as_deref())
            }
            "_?._" => {
                let owner = types.first().copied().flatten().or(target)?;
                let Some(Expr::Literal(LiteralValue::String(name))) =
                    call.args.get(1).map(|it| &it.expr)
                else {
                    return None;
                };
                let name = name.inner().to_owned();
                self.field(owner, &name);
                None
            }
            _ => None,
        }
    }

    /// A macro that the parser leaves as a call: the names before its last argument are variables of that one.
    fn with_variables(&mut self, call: &'a CallExpr) {
        let Some((body, before)) = call.args.split_last() else {
            return;
        };
        if before.is_empty() {
            self.faults.push(Fault {
                message: format!(
                    "it does not parse: `{}` takes a variable first",
                    call.func_name
                ),
                help: format!(
                    "write `{}(x, …)`, with a condition about `x`",
                    call.func_name
                ),
            });
            return;
        }
        let depth = self.scope.len();
        for argument in before {
            match &argument.expr {
                Expr::Ident(name) => self.scope.push((name, None)),
                _ => drop(self.type_of(argument)),
            }
        }
        self.type_of(body);
        self.scope.truncate(depth);
    }

    fn comprehension(&mut self, comprehension: &'a ComprehensionExpr) {
        let range = self.type_of(&comprehension.iter_range);
        self.type_of(&comprehension.accu_init);
        let depth = self.scope.len();
        let items = range.and_then(|range| range.items.as_deref());
        let values = range.and_then(|range| range.additional.as_deref());
        // With two variables the first is the index or key.
        match &comprehension.iter_var2 {
            Some(second) => {
                self.scope.push((&comprehension.iter_var, None));
                self.scope.push((second, items.or(values)));
            }
            None => self.scope.push((&comprehension.iter_var, items)),
        }
        self.scope.push((&comprehension.accu_var, None));
        self.type_of(&comprehension.loop_cond);
        self.type_of(&comprehension.loop_step);
        self.type_of(&comprehension.result);
        self.scope.truncate(depth);
    }
}

fn article(ty: &str) -> String {
    match ty {
        "array" => "a list".to_owned(),
        "integer" => "an integer".to_owned(),
        other => format!("a {other}"),
    }
}

/// Words that CEL keeps for itself, which properties are escaped for.
const KEYWORDS: [&str; 16] = [
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function",
    "if", "import", "let", "loop", "package",
];

/// The name of a property in CEL: what an identifier cannot have is escaped.
fn escaped(name: &str) -> String {
    if KEYWORDS.contains(&name) || matches!(name, "namespace" | "return" | "var" | "void" | "while")
    {
        return format!("__{name}__");
    }
    name.replace("__", "__underscores__")
        .replace('.', "__dot__")
        .replace('-', "__dash__")
        .replace('/', "__slash__")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        let string = || Schema::of_type("string");
        let mut item = Schema::of_type("object");
        item.properties.insert("name".to_owned(), string());
        let mut list = Schema::of_type("array");
        list.items = Some(Box::new(item));
        let mut labels = Schema::of_type("object");
        labels.additional = Some(Box::new(string()));
        let mut open = Schema::of_type("object");
        open.words.insert(PRESERVE.to_owned(), true.into());
        let mut schema = Schema::of_type("object");
        for (name, property) in [
            ("min", Schema::of_type("integer")),
            ("text", string()),
            ("list", list),
            ("labels", labels),
            ("open", open),
            ("metadata", Schema::of_type("object")),
            ("a-b", string()),
            ("namespace", string()),
        ] {
            schema.properties.insert(name.to_owned(), property);
        }
        schema
    }

    #[track_caller]
    fn check(expression: &str, expected: &[&str]) {
        let faults = faults(expression, &schema());
        let found: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}; {}", fault.message, fault.help))
            .collect();
        assert_eq!(found, expected, "{expression}");
    }

    #[test]
    fn what_the_api_server_compiles_has_no_fault() {
        for expression in [
            "self.min > 0 && self.min < 10",
            "self == oldSelf",
            "!has(oldSelf.text) || has(self.text)",
            "self.list.all(x, x.name.startsWith('a') && self.list.exists_one(y, y.name == x.name))",
            "self.list.map(x, x.name).exists(n, n in ['a', 'b'])",
            "self.labels.all(k, k.size() < 63) && self.labels['a'] == 'b' && self.labels.a == 'b'",
            "self.open.any.thing == 1 && self.metadata.name != ''",
            "self.a__dash__b == self.__namespace__",
            "self.?text.orValue('') == '' && self.list[0].name == 'a'",
            "self.?text.optMap(t, t.size() > 0).orValue(true)",
            "quantity(self.text).isGreaterThan(quantity('1')) && sets.contains([1], [1])",
            "duration(self.text) > duration('1s') && self.text.matches('^[a-z]$')",
            "[has(self.min), has(self.text)].filter(x, x == true).size() <= 1",
            "self.min == 1 ? self.text == 'a' : {'k': self.text}['k'] == 'b'",
            "type(self.min) == int && self.text != null",
            "ip.isCanonical(self.text) && format.dns1123Label().validate(self.text) != optional.none()",
            "cel.bind(t, self.text, t.size() > 0)",
        ] {
            check(expression, &[]);
        }
    }

    #[test]
    fn a_name_that_does_not_exist_is_a_fault() {
        check(
            "self.mni > 0",
            &["there is no field `mni`; did you mean `min`?"],
        );
        check(
            "min > 0",
            &["there is no variable `min`; the value is `self`: write `self.min`"],
        );
        check(
            "oldself.min > 0",
            &["there is no variable `oldself`; did you mean `oldSelf`?"],
        );
        check(
            "self.list.all(x, x.nmae == '')",
            &["there is no field `nmae`; did you mean `name`?"],
        );
        check(
            "self.list.name == ''",
            &["`name` is a field of a list; only objects and maps have fields"],
        );
        check(
            "has(self.text.a)",
            &["`a` is a field of a string; only objects and maps have fields"],
        );
        check(
            "self.?txet.orValue('') == ''",
            &["there is no field `txet`; did you mean `text`?"],
        );
    }

    #[test]
    fn an_expression_that_does_not_parse_is_a_fault() {
        for expression in [
            "self.min >",
            "self.min => 0",
            "(self.min",
            "self.list.all(x)",
            "a b",
        ] {
            let faults = faults(expression, &schema());
            assert_eq!(faults.len(), 1, "{expression}");
            assert!(
                faults[0].message.starts_with("it does not parse"),
                "{faults:?}"
            );
        }
    }

    /// What real CRDs have, the API server has compiled.
    #[test]
    fn rules_of_published_crds_have_no_fault() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/crds");
        let (mut rules, mut accepted) = (0, 0);
        for project in ["cert-manager", "gateway-api"] {
            for file in std::fs::read_dir(root.join(project)).unwrap() {
                let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
                rules += text.matches("- rule:").count() + text.matches("  rule:").count();
                let sources = crate::Sources {
                    crds: vec![crate::Source::new("crd.yaml", text)],
                    ..crate::Sources::default()
                };
                let options = crate::Options {
                    emit: [].into(),
                    manifests: Some(crate::Manifests::default()),
                    ..crate::Options::default()
                };
                match crate::generate(&sources, &options) {
                    Ok(_) => accepted += 1,
                    Err(errors) => {
                        let errors = errors.to_string();
                        assert!(!errors.contains("the API server refuses a"), "{errors}");
                    }
                }
            }
        }
        assert!(
            rules > 50 && accepted > 10,
            "{rules} rules, {accepted} files"
        );
    }

    #[test]
    fn no_text_makes_the_parser_panic() {
        let deep = "(".repeat(100_000);
        assert_eq!(faults(&deep, &schema()).len(), 1);
        proptest::proptest!(|(text in "[a-z0-9_.()\\[\\]{}'\"\\\\?:,+!=<>&| \\n\u{e9}]{0,40}")| {
            let _ = faults(&text, &schema());
        });
    }
}
