//! Certificates: whom Go's `crypto/x509` trusts, for the servers of webhooks and the clients of a
//! listener.

mod certificate;
pub(crate) mod client;
pub(crate) mod pem;
pub(crate) mod trust;
