//! HTTP: paths, parameters, bodies and content types, before and behind the REST handlers.

pub(crate) mod body;
pub(crate) mod decode;
pub(crate) mod guard;
pub(crate) mod negotiate;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod respond;
pub(crate) mod websocket;
