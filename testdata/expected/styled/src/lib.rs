//! What `kube-codegen crd` makes of `testdata/crds/styled` with options of types, in a crate that uses it.
//!
//! A builder without a required field does not compile:
//!
//! ```compile_fail,E0277
//! use golden_styled::apis::styled::v1::ImageSpec;
//!
//! let _ = ImageSpec::builder().digest(None).labels([]).build();
//! ```
//!
//! With it, it does:
//!
//! ```no_run
//! use golden_styled::apis::styled::v1::ImageSpec;
//!
//! let _ = ImageSpec::builder().digest(None).labels([]).source("git").build();
//! ```
//!
//! What is the crate's alone is not seen:
//!
//! ```compile_fail,E0603
//! use golden_styled::private::apis::styled::v1::ImageSpec;
//! ```

pub mod apis;
pub mod generated;
mod private;
