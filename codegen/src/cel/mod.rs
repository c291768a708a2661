//! CEL expressions: `kube-schema` parses and type-checks them and estimates their cost, exactly as
//! the embedded server does.
//!
//! `emit::manifests::rules` reports invalid expressions; `lower::unions` derives which fields they
//! allow together.

pub(crate) use kube_schema::cel::{
    Fault, MOST_CHARACTERS, MOST_DEEP, Unparsed, functions, names, parse, tree, types,
    view::SchemaView,
};
