//! The types of CEL, and their compatibility.
//!
//! The rules are those of cel-go's checker: `dyn` is compatible with every type, `null` with every
//! object type, and type parameters are bound by the first argument with them.

use std::{cell::Cell, fmt};

use super::decl::{Decl, Kind};
pub use super::scalar::Scalar;

/// The maximum number of type nodes visited for an expression. If each variable is a map from the
/// previous one to itself, types double at each level; rules of some hundred lines need a tenth of
/// this.
const MOST_STEPS: usize = 1_000_000;

/// A type in CEL. The types of a schema live as long as its declarations.
#[derive(Clone, Debug)]
pub enum Type<'d> {
    /// Any type: values are checked when a rule runs.
    Dyn,
    /// Single values.
    Scalar(Scalar),
    /// Lists of a type.
    List(Box<Type<'d>>),
    /// Maps from a type to another.
    Map(Box<Type<'d>>, Box<Type<'d>>),
    /// Optional values.
    Optional(Box<Type<'d>>),
    /// An object of the schema; two objects have the same type if they have the same declaration.
    Object(&'d Decl),
    /// A type of Kubernetes' libraries, such as `quantity`.
    Library(&'static str),
    /// A parameter of a function's signature, or the type of the items of `[]`.
    Param(usize),
}

/// The scalars, with their CEL names.
pub(crate) const SCALARS: [(&str, Scalar); 10] = [
    ("null_type", Scalar::Null),
    ("bool", Scalar::Bool),
    ("int", Scalar::Int),
    ("uint", Scalar::Uint),
    ("double", Scalar::Double),
    ("string", Scalar::String),
    ("bytes", Scalar::Bytes),
    ("duration", Scalar::Duration),
    ("timestamp", Scalar::Timestamp),
    ("type", Scalar::Type),
];

impl Decl {
    /// Returns the CEL type.
    pub(crate) fn ty(&self) -> Type<'_> {
        match &self.kind {
            Kind::Dyn => Type::Dyn,
            Kind::Scalar(scalar) => Type::Scalar(*scalar),
            Kind::List(items) => Type::list(items.ty()),
            Kind::Map(values) => Type::map(Type::STRING, values.ty()),
            Kind::Object(_) => Type::Object(self),
        }
    }
}

impl<'d> Type<'d> {
    pub(crate) const BOOL: Self = Self::Scalar(Scalar::Bool);
    pub(crate) const INT: Self = Self::Scalar(Scalar::Int);
    pub(crate) const STRING: Self = Self::Scalar(Scalar::String);

    pub(crate) fn list(items: Self) -> Self {
        Self::List(Box::new(items))
    }

    pub(crate) fn map(key: Self, value: Self) -> Self {
        Self::Map(Box::new(key), Box::new(value))
    }

    pub(crate) fn optional(value: Self) -> Self {
        Self::Optional(Box::new(value))
    }

    /// Whether the type is this scalar.
    #[must_use]
    pub fn is(&self, scalar: Scalar) -> bool {
        matches!(self, Self::Scalar(own) if *own == scalar)
    }

    /// Returns the type with its parameters renumbered from `first`.
    pub(crate) fn instantiated(&self, first: usize) -> Self {
        match self {
            Self::Param(number) => Self::Param(first + number),
            Self::List(items) => Self::list(items.instantiated(first)),
            Self::Optional(value) => Self::optional(value.instantiated(first)),
            Self::Map(key, value) => Self::map(key.instantiated(first), value.instantiated(first)),
            other => other.clone(),
        }
    }

    /// Whether two types are the same.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dyn, Self::Dyn) => true,
            (Self::Scalar(a), Self::Scalar(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Optional(a), Self::Optional(b)) => a.same(b),
            (Self::Map(a, x), Self::Map(b, y)) => a.same(b) && x.same(y),
            (Self::Object(a), Self::Object(b)) => std::ptr::eq(*a, *b),
            (Self::Library(a), Self::Library(b)) => a == b,
            (Self::Param(a), Self::Param(b)) => a == b,
            _ => false,
        }
    }

    /// Whether the type is at least as general as a type that it is compatible with.
    fn is_as_general_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dyn | Self::Param(_), _) => true,
            (_, Self::Dyn | Self::Param(_)) => false,
            (Self::List(a), Self::List(b)) | (Self::Optional(a), Self::Optional(b)) => {
                a.is_as_general_as(b)
            }
            (Self::Map(a, x), Self::Map(b, y)) => a.is_as_general_as(b) && x.is_as_general_as(y),
            _ => self.same(other),
        }
    }

    /// Whether `null` is a value of the type.
    fn takes_null(&self) -> bool {
        match self {
            Self::Optional(_) | Self::Object(_) | Self::Library(_) => true,
            Self::Scalar(scalar) => {
                matches!(scalar, Scalar::Null | Scalar::Duration | Scalar::Timestamp)
            }
            _ => false,
        }
    }
}

impl Type<'_> {
    /// Returns cel-go's name of the type. The names of object types there depend on the current
    /// time.
    #[must_use]
    pub(crate) fn go(&self) -> String {
        match self {
            Self::List(items) => format!("list({})", items.go()),
            Self::Map(key, value) => format!("map({}, {})", key.go(), value.go()),
            Self::Optional(value) => format!("optional_type({})", value.go()),
            Self::Library(name) => library_name(name).to_owned(),
            Self::Param(_) => "dyn".to_owned(),
            other => other.to_string(),
        }
    }
}

/// Returns the qualified name of a type of Kubernetes' libraries.
pub(crate) fn library_name(name: &str) -> &str {
    match name {
        "quantity" => "kubernetes.Quantity",
        "ip" => "net.IP",
        "cidr" => "net.CIDR",
        "url" => "kubernetes.URL",
        "semver" => "kubernetes.Semver",
        "format" => "kubernetes.NamedFormat",
        other => other,
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Scalar(scalar) => {
                let mut scalars = SCALARS.iter();
                let name = scalars.find(|(_, known)| known == scalar);
                f.write_str(match name.map_or("", |(name, _)| *name) {
                    "null_type" => "null",
                    name => name,
                })
            }
            Self::List(items) => write!(f, "list({items})"),
            Self::Map(key, value) => write!(f, "map({key}, {value})"),
            Self::Optional(value) => write!(f, "optional({value})"),
            Self::Object(_) => f.write_str("object"),
            Self::Library(name) => f.write_str(name),
            Self::Param(_) => f.write_str("any"),
        }
    }
}

/// The types bound to type parameters.
///
/// Once an expression's types exceed the limit, all types are compatible and results are `dyn`: see
/// [`Solver::is_exhausted`].
#[derive(Debug)]
pub(crate) struct Solver<'d> {
    bound: Vec<Option<Type<'d>>>,
    /// Earlier bindings, to roll back an attempt.
    trail: Vec<(usize, Option<Type<'d>>)>,
    steps_left: Cell<usize>,
}

impl<'d> Solver<'d> {
    pub(crate) fn new() -> Self {
        Self {
            bound: Vec::new(),
            trail: Vec::new(),
            steps_left: Cell::new(MOST_STEPS),
        }
    }

    /// Whether the types exceeded the limit, so that the findings are meaningless.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps_left.get() == 0
    }

    /// Whether one more type node may be visited.
    fn step(&self) -> bool {
        let left = self.steps_left.get().saturating_sub(1);
        self.steps_left.set(left);
        left > 0
    }

    /// Adds type parameters; returns the number of the first.
    pub(crate) fn fresh(&mut self, count: usize) -> usize {
        let first = self.bound.len();
        self.bound.resize_with(first + count, || None);
        first
    }

    /// Whether values of the found types are assignable to the expected ones; binds parameters if
    /// so.
    pub(crate) fn fit(&mut self, found: &[Type<'d>], expected: &[Type<'d>]) -> bool {
        let before = self.trail.len();
        let fits = found.len() == expected.len()
            && found.iter().zip(expected).all(|(a, b)| self.assign(a, b));
        if !fits {
            while self.trail.len() > before {
                if let Some((number, old)) = self.trail.pop() {
                    self.put(number, old);
                }
            }
        }
        fits
    }

    /// Returns the more general of two types, if one is assignable to the other.
    pub(crate) fn join(&mut self, a: Type<'d>, b: Type<'d>) -> Option<Type<'d>> {
        let fits = self.fit(std::slice::from_ref(&a), std::slice::from_ref(&b));
        fits.then(|| if a.is_as_general_as(&b) { a } else { b })
    }

    /// Returns the type of a call that two signatures fit.
    pub(crate) fn one_of(&self, a: Type<'d>, b: &Type<'d>) -> Type<'d> {
        if matches!(a, Type::Dyn) || a.same(b) {
            a
        } else {
            Type::Dyn
        }
    }

    /// Replaces the bound parameters of a type; free parameters stay.
    pub(crate) fn resolved(&self, ty: &Type<'d>) -> Type<'d> {
        if !self.step() {
            return Type::Dyn;
        }
        match ty {
            Type::Param(number) => match self.get(*number) {
                Some(bound) => self.resolved(bound),
                None => ty.clone(),
            },
            Type::List(items) => Type::list(self.resolved(items)),
            Type::Optional(value) => Type::optional(self.resolved(value)),
            Type::Map(key, value) => Type::map(self.resolved(key), self.resolved(value)),
            other => other.clone(),
        }
    }

    /// Counts the nodes of a type that an expression keeps.
    pub(crate) fn count(&self, ty: &Type<'d>) {
        if !self.step() {
            return;
        }
        match ty {
            Type::List(within) | Type::Optional(within) => self.count(within),
            Type::Map(key, value) => {
                self.count(key);
                self.count(value);
            }
            _ => {}
        }
    }

    fn get(&self, number: usize) -> Option<&Type<'d>> {
        self.bound.get(number)?.as_ref()
    }

    fn put(&mut self, number: usize, ty: Option<Type<'d>>) {
        if let Some(place) = self.bound.get_mut(number) {
            *place = ty;
        }
    }

    fn bind(&mut self, number: usize, ty: Type<'d>) {
        self.trail.push((number, self.get(number).cloned()));
        self.put(number, Some(ty));
    }

    fn assign(&mut self, a: &Type<'d>, b: &Type<'d>) -> bool {
        if !self.step() {
            return true;
        }
        if let Type::Param(number) = b {
            match self.stand_for(*number, a) {
                Standing::Agrees => return true,
                Standing::Disagrees => return false,
                Standing::Circular => {}
            }
        }
        if let Type::Param(number) = a {
            return matches!(self.stand_for(*number, b), Standing::Agrees);
        }
        match (a, b) {
            (Type::Dyn, _) | (_, Type::Dyn) => true,
            (Type::Scalar(Scalar::Null), other) | (other, Type::Scalar(Scalar::Null)) => {
                other.takes_null()
            }
            (Type::List(a), Type::List(b)) | (Type::Optional(a), Type::Optional(b)) => {
                self.assign(a, b)
            }
            (Type::Map(a, x), Type::Map(b, y)) => self.assign(a, b) && self.assign(x, y),
            _ => a.same(b),
        }
    }

    fn stand_for(&mut self, number: usize, ty: &Type<'d>) -> Standing {
        if matches!(ty, Type::Param(other) if *other == number) {
            return Standing::Agrees;
        }
        let Some(bound) = self.get(number).cloned() else {
            if self.mentions(ty, number) {
                return Standing::Circular;
            }
            self.bind(number, ty.clone());
            return Standing::Agrees;
        };
        if bound.same(ty) {
            return Standing::Agrees;
        }
        if !self.assign(ty, &bound) {
            return Standing::Disagrees;
        }
        let general = if ty.is_as_general_as(&bound) {
            ty.clone()
        } else {
            bound
        };
        if !self.mentions(&general, number) {
            self.bind(number, general);
        }
        Standing::Agrees
    }

    /// Whether a parameter occurs in a type, directly or through other parameters.
    fn mentions(&self, ty: &Type<'d>, number: usize) -> bool {
        if !self.step() {
            return true;
        }
        match ty {
            Type::Param(other) if *other == number => true,
            Type::Param(other) => self
                .get(*other)
                .is_some_and(|bound| self.mentions(bound, number)),
            Type::List(items) | Type::Optional(items) => self.mentions(items, number),
            Type::Map(key, value) => self.mentions(key, number) || self.mentions(value, number),
            _ => false,
        }
    }
}

/// Whether a type agrees with the binding of a parameter.
enum Standing {
    Agrees,
    Disagrees,
    /// The parameter would be bound to a type that contains it.
    Circular,
}
