//! Role-based access control: what a request needs ([`access`]), and what the stored roles allow
//! ([`authorizer`]).
//!
//! One evaluation of rules ([`rules`]) serves the authorizer and the assertions of tests
//! ([`crate::testing::rbac`]).

pub(crate) mod access;
pub(crate) mod authorizer;
pub(crate) mod reviews;
pub(crate) mod rules;
pub(crate) mod user;
