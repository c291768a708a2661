//! The declarations of a Go file, as far as types need them: without function bodies, and with
//! expressions only for constants.

use std::ops::Range;

use super::scan::Comment;

/// A range of bytes.
pub(super) type Span = Range<usize>;

/// A file.
#[derive(Debug, Default)]
pub(super) struct File {
    /// The name in the package clause.
    pub(super) package: Span,
    /// The comment group that documents the package.
    pub(super) doc: Option<usize>,
    /// The entries of the import declarations.
    pub(super) imports: Vec<ImportSpec>,
    pub(super) types: Vec<TypeSpec>,
    pub(super) consts: Vec<ConstSpec>,
    pub(super) methods: Vec<Method>,
    /// The comments, in order.
    pub(super) comments: Vec<Comment>,
    /// The groups of comments.
    pub(super) groups: Vec<Group>,
    /// The number of struct fields declared, including those within functions.
    pub(super) fields: usize,
    /// The owner of each comment group.
    pub(super) owners: Vec<Owner>,
}

/// A comment group: comments not separated by a blank line or a token.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The indices of its comments in the file.
    comments: Range<usize>,
}

impl Group {
    /// Creates a group that starts, and so far ends, with the comment of that index.
    pub(super) const fn starting(comment: usize) -> Self {
        Self {
            comments: comment..comment + 1,
        }
    }

    /// Offsets the comment indices by the number of comments in preceding pieces of the file.
    pub(super) const fn shift(&mut self, by: usize) {
        self.comments.start += by;
        self.comments.end += by;
    }

    /// Adds the next comment.
    pub(super) const fn grow(&mut self) {
        self.comments.end += 1;
    }
}

impl File {
    /// Returns the comments of a group, in order.
    pub(super) fn comments_of(&self, group: &Group) -> &[Comment] {
        self.comments
            .get(group.comments.clone())
            .unwrap_or_default()
    }
}

/// The owner of a comment group, by the rules of controller-tools' collector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Owner {
    /// The package: a detached comment at file level, or the package's documentation.
    #[default]
    Package,
    /// The doc comment of the type; the next variant is the detached group above it.
    TypeDoc(usize),
    TypeApart(usize),
    /// A doc comment or detached group of the field with that index; fields are numbered across the
    /// file.
    Field(usize),
    /// A comment that trails code.
    Behind,
    /// A declaration without markers: a function, variable, constant, import, or a group of types.
    Declaration(&'static str),
    /// Nothing follows within the same braces.
    Nothing,
}

/// `name "path"`.
#[derive(Clone, Debug)]
pub(super) struct ImportSpec {
    /// The name, if specified; may be `.` or `_`.
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
    /// A function, a channel, or an instance of a generic type.
    Other(Span),
}

/// A field declaration, with all its names.
#[derive(Debug)]
pub(super) struct FieldSpec {
    /// The names; for an embedded field, that of its type.
    pub(super) names: Vec<Span>,
    pub(super) embedded: bool,
    pub(super) doc: Option<usize>,
    /// Its index in the file, by which comment groups refer to it.
    pub(super) number: usize,
    pub(super) tag: Option<Span>,
    pub(super) ty: TypeExpr,
}

/// Constants declared together: `A, B T = x, y`.
#[derive(Debug)]
pub(super) struct ConstSpec {
    pub(super) names: Vec<Span>,
    /// The doc comment, or else the trailing comment.
    pub(super) doc: Option<usize>,
    /// The type and values: of this declaration, or of the preceding one that it repeats.
    pub(super) ty: Option<TypeExpr>,
    pub(super) values: Vec<ConstExpr>,
    /// Whether type and values are omitted.
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
    /// `T(x)`: an optional package name, the type name, and the value.
    Convert(Option<Span>, Span, Box<ConstExpr>),
    Other,
}

/// A method such as `func (x T) MarshalJSON`.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) receiver: Span,
    pub(super) pointer: bool,
    pub(super) name: Span,
}
