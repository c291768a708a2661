//! Webhooks: matching, transport, and the reviews exchanged.
//!
//! [`rest`](crate::rest) calls admission webhooks around every write, and conversion webhooks
//! around the store. No lock is held during a call, so that a hanging webhook delays only its own
//! request.

pub(crate) mod conditions;
pub(crate) mod configuration;
pub(crate) mod conversion;
pub(crate) mod dial;
pub(crate) mod matching;
pub(crate) mod reach;
mod redirect;
pub(crate) mod review;
