//! An expression as a list of nodes, with all macros expanded.
//!
//! The parser expands CEL's own macros but leaves those of its libraries (`optMap`, `transformList`
//! and others) as calls; they are expanded here, as in cel-go.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr};

use super::{MOST_DEEP, fault::Fault};

/// The index of a node.
pub type Id = usize;

/// The maximum number of nodes of an expression: macros duplicate their receiver.
const MOST_NODES: usize = 20_000;

/// The accumulator variable of a loop.
const ACCUMULATOR: &str = "@result";

/// A part of an expression.
#[derive(Debug)]
pub enum Node {
    /// A value.
    Literal(Literal),
    /// A variable, or the first part of a qualified function name.
    Ident(String),
    /// A field of a value.
    Select {
        /// The value.
        operand: Id,
        /// The field's name.
        field: String,
        /// The operation on it.
        access: Access,
    },
    /// A call of a function or an operator.
    Call(Call),
    /// `[a, b]`
    List(Vec<Entry>),
    /// `{a: b}`
    Map(Vec<(Id, Entry)>),
    /// A loop, which macros expand to.
    Loop(Box<Loop>),
    /// A message of protocol buffers, which rules about JSON cannot create.
    Message,
}

/// The operation on a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads the field.
    Read,
    /// `has(…)`
    Test,
}

/// A value in an expression.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.5`
    Double(f64),
    /// `'a'`
    String(String),
    /// `b'a'`
    Bytes(Vec<u8>),
}

/// A call of a function or an operator.
#[derive(Debug)]
pub struct Call {
    /// The function's name, `_+_` for an operator.
    pub function: String,
    /// The receiver of `x.f()`.
    pub target: Option<Id>,
    /// The arguments.
    pub args: Vec<Id>,
}

/// An item of a list, or a value of a map.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The item.
    pub value: Id,
    /// Whether it is an optional that is left out if it has no value.
    pub optional: bool,
}

/// A loop over a list or map, which all macros about items expand to.
#[derive(Debug)]
pub struct Loop {
    /// The list or map.
    pub range: Id,
    /// The item; or the index or key, if there is a second variable.
    pub variable: String,
    /// The item, if the first variable is its index or key.
    pub second: Option<String>,
    /// The accumulator variable.
    pub accumulator: String,
    /// The accumulator's initial value.
    pub initial: Id,
    /// Whether to continue.
    pub condition: Id,
    /// The accumulator's value after an item.
    pub step: Id,
    /// The value of the loop.
    pub result: Id,
}

/// The nodes of an expression.
#[derive(Debug, Default)]
pub struct Tree {
    /// The nodes by index.
    pub nodes: Vec<Node>,
    /// For each node, the parser's ID of its part of the source.
    parts: Vec<u64>,
    /// The part of the source whose nodes are being added.
    part: u64,
    /// The depth of the node being added.
    depth: u16,
}

impl Tree {
    /// Builds the tree of a parsed expression; returns it with its root.
    ///
    /// # Errors
    ///
    /// A macro with invalid arguments, or `None` if the expression is too large to process.
    pub(super) fn of(expr: &IdedExpr) -> Result<(Self, Id), Option<Fault<'static>>> {
        let mut tree = Self::default();
        let root = tree.expr(expr)?;
        Ok((tree, root))
    }

    /// Returns a node by its index.
    #[must_use]
    pub fn node(&self, id: Id) -> &Node {
        self.nodes.get(id).unwrap_or(&Node::Message)
    }

    /// Returns the parser's ID of a node's part of the source.
    pub(super) fn part(&self, id: Id) -> u64 {
        self.parts.get(id).copied().unwrap_or_default()
    }

    /// Returns the dotted name of identifiers and fields, `a.b.c`; `None` for other expressions.
    #[must_use]
    pub fn qualified_name(&self, id: Id) -> Option<String> {
        match self.node(id) {
            Node::Ident(name) => Some(name.clone()),
            Node::Select {
                operand,
                field,
                access: Access::Read,
            } => Some(format!("{}.{field}", self.qualified_name(*operand)?)),
            _ => None,
        }
    }

    fn add(&mut self, node: Node) -> Result<Id, Option<Fault<'static>>> {
        if self.nodes.len() >= MOST_NODES {
            return Err(None);
        }
        self.nodes.push(node);
        self.parts.push(self.part);
        Ok(self.nodes.len() - 1)
    }

    /// All code that processes the tree recurses as deeply.
    fn expr(&mut self, expr: &IdedExpr) -> Result<Id, Option<Fault<'static>>> {
        if self.depth >= MOST_DEEP {
            return Err(Some(Fault::TooDeep));
        }
        self.depth += 1;
        let around = std::mem::replace(&mut self.part, expr.id);
        let id = self.shallow(expr)?;
        self.part = around;
        self.depth -= 1;
        Ok(id)
    }

    fn shallow(&mut self, expr: &IdedExpr) -> Result<Id, Option<Fault<'static>>> {
        let node = match &expr.expr {
            Expr::Unspecified | Expr::Struct(_) => Node::Message,
            Expr::Literal(literal) => Node::Literal(Literal::of(literal)),
            Expr::Ident(name) => Node::Ident(name.trim_start_matches('.').to_owned()),
            Expr::Select(select) => Node::Select {
                operand: self.expr(&select.operand)?,
                field: select.field.clone(),
                access: if select.test {
                    Access::Test
                } else {
                    Access::Read
                },
            },
            Expr::Call(call) => return self.call(call),
            Expr::List(list) => {
                let mut entries = Vec::new();
                for (index, element) in list.elements.iter().enumerate() {
                    entries.push(Entry {
                        value: self.expr(element)?,
                        optional: list.optional_indices.contains(&index),
                    });
                }
                Node::List(entries)
            }
            Expr::Map(map) => {
                let mut entries = Vec::new();
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        let key = self.expr(&entry.key)?;
                        let value = self.expr(&entry.value)?;
                        let optional = entry.optional;
                        entries.push((key, Entry { value, optional }));
                    }
                }
                Node::Map(entries)
            }
            Expr::Comprehension(one) => Node::Loop(Box::new(Loop {
                range: self.expr(&one.iter_range)?,
                variable: one.iter_var.clone(),
                second: one.iter_var2.clone(),
                accumulator: one.accu_var.clone(),
                initial: self.expr(&one.accu_init)?,
                condition: self.expr(&one.loop_cond)?,
                step: self.expr(&one.loop_step)?,
                result: self.expr(&one.result)?,
            })),
        };
        self.add(node)
    }

    fn call(&mut self, call: &CallExpr) -> Result<Id, Option<Fault<'static>>> {
        if let Some(target) = call.target.as_deref()
            && let Some(id) = self.expand(target, call)?
        {
            return Ok(id);
        }
        let target = call.target.as_deref().map(|target| self.expr(target));
        let target = target.transpose()?;
        let args: Result<Vec<Id>, _> = call.args.iter().map(|arg| self.expr(arg)).collect();
        self.add(Node::Call(Call {
            function: call.func_name.clone(),
            target,
            args: args?,
        }))
    }

    /// Expands a library's macro; `None` for other calls.
    fn expand(
        &mut self,
        target: &IdedExpr,
        call: &CallExpr,
    ) -> Result<Option<Id>, Option<Fault<'static>>> {
        let name = call.func_name.as_str();
        Ok(Some(match (name, call.args.as_slice()) {
            ("optMap" | "optFlatMap", [variable, within]) => {
                let variable = variable_of(name, variable)?;
                let has = self.member("hasValue", target)?;
                let value = self.member("value", target)?;
                let result = self.expr(within)?;
                let within = self.bind(variable, value, result)?;
                let some = match name {
                    "optMap" => self.global("optional.of", vec![within])?,
                    _ => within,
                };
                let none = self.global("optional.none", Vec::new())?;
                self.global("_?_:_", vec![has, some, none])?
            }
            ("all" | "exists" | "exists_one" | "existsOne", [first, second, condition]) => {
                let variables = (variable_of(name, first)?, variable_of(name, second)?);
                self.quantifier(name, target, variables, condition)?
            }
            (
                "transformList" | "transformMap" | "transformMapEntry",
                [first, second, rest @ ..],
            ) if (1..=2).contains(&rest.len()) => {
                let variables = (variable_of(name, first)?, variable_of(name, second)?);
                self.transform(name, target, variables, rest)?
            }
            ("sortBy", [variable, key]) => {
                let variable = variable_of(name, variable)?;
                self.sort_by(target, variable, key)?
            }
            ("all" | "exists" | "exists_one" | "existsOne" | "filter" | "map", args)
                if args.len() < 2 =>
            {
                return Err(Some(Fault::MacroArguments {
                    name: name.to_owned(),
                }));
            }
            _ => return Ok(None),
        }))
    }

    fn global(&mut self, function: &str, args: Vec<Id>) -> Result<Id, Option<Fault<'static>>> {
        self.add(Node::Call(Call {
            function: function.to_owned(),
            target: None,
            args,
        }))
    }

    fn member(&mut self, function: &str, target: &IdedExpr) -> Result<Id, Option<Fault<'static>>> {
        let target = Some(self.expr(target)?);
        self.add(Node::Call(Call {
            function: function.to_owned(),
            target,
            args: Vec::new(),
        }))
    }

    fn ident(&mut self, name: &str) -> Result<Id, Option<Fault<'static>>> {
        self.add(Node::Ident(name.to_owned()))
    }

    fn literal(&mut self, literal: Literal) -> Result<Id, Option<Fault<'static>>> {
        self.add(Node::Literal(literal))
    }

    /// Adds a variable of an expression: a loop without iterations.
    fn bind(
        &mut self,
        variable: String,
        value: Id,
        result: Id,
    ) -> Result<Id, Option<Fault<'static>>> {
        let range = self.add(Node::List(Vec::new()))?;
        let condition = self.literal(Literal::Bool(false))?;
        let step = self.ident(&variable)?;
        self.add(Node::Loop(Box::new(Loop {
            range,
            variable: "#unused".to_owned(),
            second: None,
            accumulator: variable,
            initial: value,
            condition,
            step,
            result,
        })))
    }

    fn quantifier(
        &mut self,
        name: &str,
        target: &IdedExpr,
        (first, second): (String, String),
        condition: &IdedExpr,
    ) -> Result<Id, Option<Fault<'static>>> {
        let range = self.expr(target)?;
        let holds = self.expr(condition)?;
        let result = self.ident(ACCUMULATOR)?;
        let gathered = self.ident(ACCUMULATOR)?;
        let before = self.ident(ACCUMULATOR)?;
        let (initial, condition, step, result) = match name {
            "all" => (
                self.literal(Literal::Bool(true))?,
                self.global("@not_strictly_false", vec![before])?,
                self.global("_&&_", vec![gathered, holds])?,
                result,
            ),
            "exists" => {
                let not = self.global("!_", vec![before])?;
                (
                    self.literal(Literal::Bool(false))?,
                    self.global("@not_strictly_false", vec![not])?,
                    self.global("_||_", vec![gathered, holds])?,
                    result,
                )
            }
            _ => {
                let one = self.literal(Literal::Int(1))?;
                let more = self.global("_+_", vec![gathered, one])?;
                let expected = self.literal(Literal::Int(1))?;
                (
                    self.literal(Literal::Int(0))?,
                    self.literal(Literal::Bool(true))?,
                    self.global("_?_:_", vec![holds, more, before])?,
                    self.global("_==_", vec![result, expected])?,
                )
            }
        };
        self.add(Node::Loop(Box::new(Loop {
            range,
            variable: first,
            second: Some(second),
            accumulator: ACCUMULATOR.to_owned(),
            initial,
            condition,
            step,
            result,
        })))
    }

    fn transform(
        &mut self,
        name: &str,
        target: &IdedExpr,
        (first, second): (String, String),
        rest: &[IdedExpr],
    ) -> Result<Id, Option<Fault<'static>>> {
        let range = self.expr(target)?;
        let (filter, value) = match rest {
            [filter, value] => (Some(self.expr(filter)?), self.expr(value)?),
            [value] => (None, self.expr(value)?),
            _ => return Err(None),
        };
        let gathered = self.ident(ACCUMULATOR)?;
        let (initial, step) = match name {
            "transformList" => {
                let optional = false;
                let item = self.add(Node::List(vec![Entry { value, optional }]))?;
                let step = self.global("_+_", vec![gathered, item])?;
                (self.add(Node::List(Vec::new()))?, step)
            }
            "transformMap" => {
                let key = self.ident(&first)?;
                let step = self.global("cel.@mapInsert", vec![gathered, key, value])?;
                (self.add(Node::Map(Vec::new()))?, step)
            }
            _ => {
                let step = self.global("cel.@mapInsert", vec![gathered, value])?;
                (self.add(Node::Map(Vec::new()))?, step)
            }
        };
        let step = match filter {
            Some(filter) => {
                let before = self.ident(ACCUMULATOR)?;
                self.global("_?_:_", vec![filter, step, before])?
            }
            None => step,
        };
        let condition = self.literal(Literal::Bool(true))?;
        let result = self.ident(ACCUMULATOR)?;
        self.add(Node::Loop(Box::new(Loop {
            range,
            variable: first,
            second: Some(second),
            accumulator: ACCUMULATOR.to_owned(),
            initial,
            condition,
            step,
            result,
        })))
    }

    fn sort_by(
        &mut self,
        target: &IdedExpr,
        variable: String,
        key: &IdedExpr,
    ) -> Result<Id, Option<Fault<'static>>> {
        const INPUT: &str = "@__sortBy_input__";
        let list = self.expr(target)?;
        let range = self.ident(INPUT)?;
        let initial = self.add(Node::List(Vec::new()))?;
        let condition = self.literal(Literal::Bool(true))?;
        let gathered = self.ident(ACCUMULATOR)?;
        let entry = Entry {
            value: self.expr(key)?,
            optional: false,
        };
        let item = self.add(Node::List(vec![entry]))?;
        let step = self.global("_+_", vec![gathered, item])?;
        let result = self.ident(ACCUMULATOR)?;
        let keys = self.add(Node::Loop(Box::new(Loop {
            range,
            variable,
            second: None,
            accumulator: ACCUMULATOR.to_owned(),
            initial,
            condition,
            step,
            result,
        })))?;
        let input = self.ident(INPUT)?;
        let sorted = self.add(Node::Call(Call {
            function: "@sortByAssociatedKeys".to_owned(),
            target: Some(input),
            args: vec![keys],
        }))?;
        self.bind(INPUT.to_owned(), list, sorted)
    }
}

/// Returns the variable that a macro declares.
fn variable_of(name: &str, expr: &IdedExpr) -> Result<String, Option<Fault<'static>>> {
    match &expr.expr {
        Expr::Ident(variable) => Ok(variable.clone()),
        _ => Err(Some(Fault::MacroVariable {
            name: name.to_owned(),
        })),
    }
}
