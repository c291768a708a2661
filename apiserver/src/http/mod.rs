//! The HTTP layer around the REST handlers: paths, parameters, bodies and content types.

pub(crate) mod body;
pub(crate) mod decode;
pub(crate) mod guard;
pub(crate) mod health;
pub(crate) mod negotiate;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod respond;
pub(crate) mod websocket;
