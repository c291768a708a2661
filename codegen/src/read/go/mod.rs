//! Go packages: the API types of a Go module as their files declare them, without a Go toolchain.
//!
//! What comes out is plain data with places. Start reading at [`Package`].

mod package;

pub use package::{
    Const, ConstValue, EnumLiteral, Field, Import, MarshalKind, Marshaler, Package, Tag, Type,
    TypeDecl,
};
