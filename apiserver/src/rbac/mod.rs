//! Role-based access control: what a request needs ([`access`]), who sends it ([`user`]), and what
//! a rule allows ([`rules`]).
//!
//! One evaluation of rules serves the authorizer ([`crate::authorization`]) and the assertions of
//! tests ([`crate::rbac_assertions`]).

pub(crate) mod access;
pub(crate) mod rules;
pub(crate) mod user;
