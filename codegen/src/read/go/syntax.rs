//! The declarations of a Go file, as far as types need them: no function bodies, no expressions but constants'.

use std::ops::Range;

use super::scan::Comment;

/// A range of bytes.
pub(super) type Span = Range<usize>;

/// A file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// The name in the package clause.
    pub(super) package: Span,
    /// The group of comments that documents the package.
    pub(super) doc: Option<usize>,
    /// The import declarations' entries.
    pub(super) imports: Vec<ImportSpec>,
    pub(super) types: Vec<TypeSpec>,
    pub(super) consts: Vec<ConstSpec>,
    pub(super) methods: Vec<Method>,
    /// The comments, in order.
    pub(super) comments: Vec<Comment>,
    /// The groups that they make.
    pub(super) groups: Vec<Group>,
    /// How many struct fields are declared, in functions too.
    pub(super) fields: usize,
    /// The owner of each group of comments.
    pub(super) owners: Vec<Owner>,
}

/// A group of comments: no blank line and no token parts them.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Which of the file's comments it is made of.
    comments: Range<usize>,
}

impl Group {
    /// A group that starts, and so far ends, with the comment of that number.
    pub(super) const fn starting(comment: usize) -> Self {
        Self {
            comments: comment..comment + 1,
        }
    }

    /// Counts the comments on from those of the pieces of the file before.
    pub(super) const fn shift(&mut self, by: usize) {
        self.comments.start += by;
        self.comments.end += by;
    }

    /// Adds the comment that follows its last one.
    pub(super) const fn grow(&mut self) {
        self.comments.end += 1;
    }
}

impl File {
    /// The comments of a group, in order.
    pub(super) fn comments_of(&self, group: &Group) -> &[Comment] {
        self.comments
            .get(group.comments.clone())
            .unwrap_or_default()
    }
}

/// The owner of a group of comments, by the rules of controller-tools' collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Owner {
    /// The package: it stands apart at the level of the file, or documents the package.
    #[default]
    Package,
    /// The type, and the group apart above its documentation.
    TypeDoc(usize),
    TypeApart(usize),
    /// The same for the field of that number; fields are numbered through the file.
    Field(usize),
    /// A comment behind code.
    Behind,
    /// A declaration that has no markers: of functions, variables, constants, imports, or several types at once.
    Declaration(&'static str),
    /// Nothing follows in the same braces.
    Nothing,
}

/// `name "path"`.
#[derive(Clone, Debug)]
pub(super) struct ImportSpec {
    /// The name, if one is given; `.` and `_` too.
    pub(super) name: Option<Span>,
    /// The path.
    pub(super) path: String,
    pub(super) place: Span,
}

/// `Name Type` of a type declaration.
#[derive(Debug)]
pub(super) struct TypeSpec {
    pub(super) name: Span,
    pub(super) doc: Option<usize>,
    pub(super) alias: bool,
    pub(super) generics: Option<Span>,
    pub(super) ty: TypeExpr,
}

/// A type as written.
#[derive(Debug)]
pub(super) enum TypeExpr {
    Name(Span),
    /// `package.Name`.
    Qualified(Span, Span),
    Pointer(Box<TypeExpr>),
    Slice(Box<TypeExpr>),
    Array(Option<u64>, Box<TypeExpr>),
    Map(Box<TypeExpr>, Box<TypeExpr>),
    Struct(Vec<FieldSpec>),
    /// `interface{}`.
    Any,
    Interface(Span),
    /// A function, a channel, an instance of a generic type.
    Other(Span),
}

/// A field, with all names that its declaration gives.
#[derive(Debug)]
pub(super) struct FieldSpec {
    /// The names; of an embedded field, that of its type.
    pub(super) names: Vec<Span>,
    pub(super) embedded: bool,
    pub(super) doc: Option<usize>,
    /// Its number in the file, by which groups of comments name it.
    pub(super) number: usize,
    pub(super) tag: Option<Span>,
    pub(super) ty: TypeExpr,
}

/// Constants declared together: `A, B T = x, y`.
#[derive(Debug)]
pub(super) struct ConstSpec {
    pub(super) names: Vec<Span>,
    /// Documentation above, or else behind.
    pub(super) doc: Option<usize>,
    /// Of which type and values the constants are: of this declaration, or of the one before that it repeats.
    pub(super) ty: Option<TypeExpr>,
    pub(super) values: Vec<ConstExpr>,
    /// Whether neither is given.
    pub(super) repeats: bool,
}

/// The value of a constant.
#[derive(Clone, Debug)]
pub(super) enum ConstExpr {
    /// A string, as written.
    String(Span),
    /// An integer, as written, with its sign.
    Integer(Span, bool),
    Name(Span),
    /// `package.Name`.
    Qualified(Span, Span),
    Concat(Vec<ConstExpr>),
    /// `T(x)`: one name or two, and the value.
    Convert(Option<Span>, Span, Box<ConstExpr>),
    Other,
}

/// `func (x T) MarshalJSON`, and others of these names.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) receiver: Span,
    pub(super) pointer: bool,
    pub(super) name: Span,
}
