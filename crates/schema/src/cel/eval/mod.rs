//! Evaluates expressions about JSON values, with a bound on their cost.
//!
//! [`Program`] is an expression that can run; [`value`] contains the values, `operators` CEL's own
//! functions, `library` those of its extensions and of Kubernetes. Error messages are cel-go's.

mod library;
mod loops;
mod operators;
mod types;
pub(crate) mod value;

pub(crate) use self::value::Val;
use super::functions::{self, Library};
use super::names::unescaped;
use super::parse;
use super::tree::{Access, Call, Entry, Id, Literal, Node, Tree};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// An error as reported by cel-go.
    Error(String),
    /// The expression uses a feature that is not implemented here.
    Unsupported(String),
    /// The expression exceeds its cost budget.
    OverBudget,
}

impl Stop {
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self::Error(text.into())
    }

    /// A function does not accept arguments of these types.
    pub(crate) fn no_overload() -> Self {
        Self::error("no such overload")
    }
}

/// A value, or the reason for its absence.
type Outcome<'v> = Result<Val<'v>, Stop>;

/// An expression that can run.
#[derive(Debug)]
pub(crate) struct Program {
    tree: Tree,
    root: Id,
}

impl Program {
    /// Parses an expression.
    ///
    /// # Errors
    /// The expression does not parse or cannot be evaluated here.
    pub(crate) fn new(expression: &str) -> Result<Self, String> {
        let (tree, root) = parse(expression).map_err(|fault| match fault {
            Some(fault) => fault.to_string(),
            None => "it is too large".to_owned(),
        })?;
        let program = Self { tree, root };
        match program.unknown_function() {
            Some(name) => Err(format!("the function `{name}` is not supported")),
            None => Ok(program),
        }
    }

    /// Whether the expression reads a variable.
    pub(crate) fn reads(&self, variable: &str) -> bool {
        let mut nodes = self.tree.nodes.iter();
        nodes.any(|node| matches!(node, Node::Ident(name) if name == variable))
    }

    /// Whether the expression reads a field of a variable.
    pub(crate) fn reads_field(&self, variable: &str, name: &str) -> bool {
        let is_variable =
            |id: Id| matches!(self.tree.node(id), Node::Ident(ident) if ident == variable);
        self.tree.nodes.iter().any(|node| match node {
            Node::Select { operand, field, .. } => field == name && is_variable(*operand),
            _ => false,
        })
    }

    /// Returns a function that the expression calls and that is not implemented here.
    fn unknown_function(&self) -> Option<&str> {
        let nodes = self.tree.nodes.iter();
        nodes.into_iter().find_map(|node| match node {
            Node::Call(call) => Some(&*call.function).filter(|_| !self.is_known(call)),
            Node::Message => Some("message"),
            _ => None,
        })
    }

    /// Whether a library implements a call, by its own name or qualified by its target.
    fn is_known(&self, call: &Call) -> bool {
        let prefix = call.target.and_then(|id| self.tree.qualified_name(id));
        let whole = prefix.map(|prefix| format!("{prefix}.{}", call.function));
        let mut names = whole.iter().map(String::as_str).chain([&*call.function]);
        call.function == OPTIONAL_FIELD || names.any(|name| libraries(name).next().is_some())
    }

    /// Evaluates the expression and deducts its cost from `left`.
    ///
    /// # Errors
    /// The reason for the absence of a value.
    pub(crate) fn run<'v>(&self, variables: &[(&str, Val<'v>)], left: &mut u64) -> Outcome<'v> {
        let variables = variables.iter();
        let mut run = Run {
            tree: &self.tree,
            variables: variables
                .map(|(name, value)| ((*name).to_owned(), Ok(value.clone())))
                .collect(),
            left: *left,
        };
        let outcome = run.eval(self.root);
        *left = run.left;
        outcome
    }
}

/// `a.?b`, which has no signature.
const OPTIONAL_FIELD: &str = "_?._";

/// Returns the libraries that implement a function.
fn libraries(name: &str) -> impl Iterator<Item = Library> {
    let overloads = functions::overloads(name).into_iter().flatten();
    let libraries = overloads.map(|overload| overload.library);
    libraries.filter(|library| *library != Library::Unknown)
}

/// The evaluation of an expression.
struct Run<'t, 'v> {
    tree: &'t Tree,
    /// The variables in scope, innermost last. A loop's accumulator can be an error.
    variables: Vec<(String, Outcome<'v>)>,
    left: u64,
}

impl<'v> Run<'_, 'v> {
    fn charge(&mut self, cost: u64) -> Result<(), Stop> {
        match self.left.checked_sub(cost) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Stop::OverBudget)
            }
        }
    }

    fn eval(&mut self, id: Id) -> Outcome<'v> {
        let tree = self.tree;
        match tree.node(id) {
            Node::Literal(literal) => Ok(literal_value(literal)),
            Node::Ident(name) => self.variable(name),
            Node::Select {
                operand,
                field,
                access,
            } => self.select(*operand, field, *access),
            Node::Call(call) => self.call(call),
            Node::List(entries) => self.list(entries),
            Node::Map(entries) => self.map(entries),
            Node::Loop(one) => self.run_loop(one),
            Node::Message => Err(Stop::Unsupported("messages are not supported".to_owned())),
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, _)| known == name)
    }

    fn variable(&mut self, name: &str) -> Outcome<'v> {
        self.charge(1)?;
        let mut variables = self.variables.iter().rev();
        if let Some((_, value)) = variables.find(|(known, _)| known == name) {
            return value.clone();
        }
        let types = operators::TYPES.iter();
        let found = types.copied().find(|(known, _)| *known == name);
        found.map_or_else(
            || Err(Stop::error(format!("no such attribute(s): {name}"))),
            |(_, name)| Ok(Val::Type(name)),
        )
    }

    fn select(&mut self, operand: Id, field: &str, access: Access) -> Outcome<'v> {
        if access == Access::Read
            && let Some(name) = self.tree.qualified_name(operand)
            && !name
                .split('.')
                .next()
                .is_some_and(|first| self.is_variable(first))
        {
            // Types of protocol buffers, as in `type(x) == google.protobuf.Timestamp`.
            let full = format!("{name}.{field}");
            let types = operators::TYPES.iter();
            if let Some((_, name)) = types.copied().find(|(_, known)| *known == full) {
                return Ok(Val::Type(name));
            }
        }
        let value = self.eval(operand)?;
        self.charge(1)?;
        let found = field_of(&value, field)?;
        match (access, value) {
            (Access::Test, _) => Ok(Val::Bool(found.is_some())),
            (Access::Read, Val::Optional(_)) => Ok(found.map_or(Val::Optional(None), Val::some)),
            (Access::Read, _) => found.ok_or_else(|| Stop::error(format!("no such key: {field}"))),
        }
    }

    fn list(&mut self, entries: &[Entry]) -> Outcome<'v> {
        self.charge(10)?;
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            items.extend(self.entry(*entry)?);
        }
        Ok(Val::list(items))
    }

    fn map(&mut self, entries: &[(Id, Entry)]) -> Outcome<'v> {
        self.charge(30)?;
        let mut found = Vec::with_capacity(entries.len());
        for (key, entry) in entries {
            let key = self.eval(*key)?;
            if let Some(value) = self.entry(*entry)? {
                found.push((key, value));
            }
        }
        Ok(Val::Map(found.into()))
    }

    /// Evaluates an item; `None` for an optional one without a value.
    fn entry(&mut self, entry: Entry) -> Result<Option<Val<'v>>, Stop> {
        let value = self.eval(entry.value)?;
        Ok(match (entry.optional, value) {
            (false, value) => Some(value),
            (true, Val::Optional(value)) => value.map(|value| (*value).clone()),
            (true, _) => return Err(Stop::no_overload()),
        })
    }

    fn call(&mut self, call: &Call) -> Outcome<'v> {
        match (call.function.as_str(), call.args.as_slice()) {
            ("_&&_", [a, b]) => return self.logical(*a, *b, false),
            ("_||_", [a, b]) => return self.logical(*a, *b, true),
            ("_?_:_", [condition, yes, no]) => {
                return match self.eval(*condition)? {
                    Val::Bool(true) => self.eval(*yes),
                    Val::Bool(false) => self.eval(*no),
                    _ => Err(Stop::no_overload()),
                };
            }
            ("@not_strictly_false", [value]) => {
                return match self.eval(*value) {
                    Err(Stop::OverBudget) => Err(Stop::OverBudget),
                    outcome => Ok(Val::Bool(!matches!(outcome, Ok(Val::Bool(false))))),
                };
            }
            (OPTIONAL_FIELD, [value, field]) => return self.optional_field(*value, *field),
            _ => {}
        }
        let mut name = call.function.as_str();
        let mut args = Vec::new();
        let qualified;
        if let Some(target) = call.target {
            match self.namespace(target, name) {
                Some(full) => {
                    qualified = full;
                    name = &qualified;
                }
                None => args.push(self.eval(target)?),
            }
        }
        for arg in &call.args {
            args.push(self.eval(*arg)?);
        }
        self.charge(1 + operators::traversed(name, &args))?;
        let outcome = library::call(name, &args).unwrap_or_else(|| Err(Stop::no_overload()));
        if let Ok(Val::List(items)) = &outcome {
            self.charge(items.len() as u64 / 10)?;
        }
        outcome
    }

    /// Returns the qualified name of a library's function, such as `sets.contains`.
    fn namespace(&self, target: Id, function: &str) -> Option<String> {
        let prefix = self.tree.qualified_name(target)?;
        let full = format!("{prefix}.{function}");
        let is_free = !self.is_variable(prefix.split('.').next()?);
        (is_free && functions::overloads(&full).is_some()).then_some(full)
    }

    /// Evaluates `&&` and `||`: one side may decide even if the other is an error.
    fn logical(&mut self, a: Id, b: Id, decisive: bool) -> Outcome<'v> {
        let first = self.eval(a);
        if matches!(first, Ok(Val::Bool(value)) if value == decisive) {
            return first;
        }
        if matches!(first, Err(Stop::OverBudget)) {
            return first;
        }
        let second = self.eval(b);
        if matches!(second, Ok(Val::Bool(value)) if value == decisive) {
            return second;
        }
        match (first?, second?) {
            (Val::Bool(_), Val::Bool(_)) => Ok(Val::Bool(!decisive)),
            _ => Err(Stop::no_overload()),
        }
    }

    /// Evaluates `a.?b`.
    fn optional_field(&mut self, value: Id, field: Id) -> Outcome<'v> {
        let value = self.eval(value)?;
        self.charge(1)?;
        let Node::Literal(Literal::String(field)) = self.tree.node(field) else {
            return Err(Stop::no_overload());
        };
        Ok(field_of(&value, field)?.map_or(Val::Optional(None), Val::some))
    }
}

fn literal_value<'v>(literal: &Literal) -> Val<'v> {
    match literal {
        Literal::Null => Val::Null,
        Literal::Bool(value) => Val::Bool(*value),
        Literal::Int(value) => Val::Int(*value),
        Literal::Uint(value) => Val::Uint(*value),
        Literal::Double(value) => Val::Double(*value),
        Literal::String(text) => Val::text(text.as_str()),
        Literal::Bytes(bytes) => Val::Bytes(bytes.as_slice().into()),
    }
}

/// Returns the value of a field or key; `None` if it is absent.
fn field_of<'v>(value: &Val<'v>, field: &str) -> Result<Option<Val<'v>>, Stop> {
    match value {
        Val::Node(node) if node.value.is_object() => {
            let name = if node.is_struct() {
                unescaped(field)
            } else {
                field.to_owned()
            };
            node.entry(&name).transpose()
        }
        Val::Map(entries) => {
            let mut entries = entries.iter();
            let found = entries.find(|(key, _)| matches!(key, Val::String(key) if **key == *field));
            Ok(found.map(|(_, value)| value.clone()))
        }
        Val::Optional(Some(value)) => field_of(value, field),
        Val::Optional(None) => Ok(None),
        _ => Err(Stop::no_overload()),
    }
}
