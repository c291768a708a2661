//! The words that cases are written in: requests ([`wire`]), collections of a resource in a namespace of the case's own
//! ([`collection`], [`crd`]), watches ([`watching`]), and what to expect of an answer ([`expect`]).

pub(crate) mod cleanup;
pub(crate) mod collection;
pub(crate) mod crd;
#[macro_use]
pub(crate) mod expect;
pub(crate) mod watching;
pub(crate) mod wire;

pub(crate) use collection::{
    Collection, Resource, configmaps, create_fails, create_invalid_with, list_refused, namespace,
    resources::*, secrets,
};
pub(crate) use crd::{Crd, drops, stores, things, things_with};
pub(crate) use expect::{at, check, check_absent, names, resource_version};
pub(crate) use kube::Client;
pub(crate) use serde_json::{Value, json};
pub(crate) use wire::{delete, get, get_accepting, patch, post, put, send};
