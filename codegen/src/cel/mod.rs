//! Expressions in CEL, as syntax: parsed, and with their macros expanded (`kube-schema`, which evaluates them).
//!
//! `emit::manifests::cel` checks their types and estimates their cost, `lower::unions` finds out which fields they permit together.

pub(crate) mod names;

pub(crate) use kube_schema::cel::{Fault, parse, tree};
