//! Webhooks: how they are reached, which of them a request concerns, and what they are asked and answer.
//!
//! [`rest`](crate::rest) calls them: those of admission around every write, those of conversion around the store. No lock is
//! held meanwhile, so that a webhook that hangs delays nothing but its own request.

pub(crate) mod conditions;
pub(crate) mod configuration;
pub(crate) mod conversion;
pub(crate) mod dial;
pub(crate) mod reach;
pub(crate) mod review;
