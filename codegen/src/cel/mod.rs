//! Expressions in CEL: `kube-schema` parses them, checks their types and estimates their cost, as the embedded server does.
//!
//! `emit::manifests::rules` reports what is wrong with them, `lower::unions` finds out which fields they permit together.

pub(crate) use kube_schema::cel::{
    Fault, MOST_CHARACTERS, MOST_DEEP, Unparsed, budget,
    decl::{Decl, Level},
    examine::{self, OldSelf, Purpose, Verdict},
    functions, names, parse, tree, types,
    view::SchemaView,
};
