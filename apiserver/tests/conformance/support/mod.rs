//! The helpers of cases: requests ([`wire`]), the collection of a resource in a separate namespace
//! ([`collection`], [`crd`]), watches ([`watching`]), and assertions on responses ([`expect`]).

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
