//! What a row of the table says.

use std::fmt;

/// The code of a class of errors, such as `K0101`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Code(pub(super) u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "K{:04}", self.0)
    }
}

/// A class of errors.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// Its code, which never changes and is never used again.
    pub code: Code,
    /// The class in a few words.
    pub title: &'static str,
    /// Files of this crate below `src`, or folders ending in `/`, whose errors have the code. The
    /// longest path of all rows counts.
    pub from: &'static [&'static str],
    /// What happened, and why it is an error.
    pub what: &'static str,
    /// Input that has this error and no other.
    pub example: Example,
    /// How to mend it.
    pub mend: &'static str,
}

/// A file and the command that fails because of it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The path of the file; empty if the command alone is wrong.
    pub file: &'static str,
    /// Lines of the file that the explanation leaves out.
    pub prelude: &'static str,
    /// The contents of the file.
    pub text: &'static str,
    /// The arguments of `kube-codegen`.
    pub command: &'static str,
}

/// The first lines of the examples in Rust.
pub const RUST_PRELUDE: &str = "\
// +k8s:deepcopy-gen=package
// +groupName=cloud.example.com

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};

mod zz_generated_deepcopy;
pub mod zz_generated_register;

";

/// The first lines of the examples in Go.
pub const GO_PRELUDE: &str = "\
// +groupName=cloud.example.com
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

";

/// A version folder of annotated Rust.
pub(super) const fn rust(text: &'static str) -> Example {
    Example {
        file: "src/apis/cloud/v1/mod.rs",
        prelude: RUST_PRELUDE,
        text,
        command: "manifests src/apis",
    }
}

/// A Go package.
pub(super) const fn go(text: &'static str) -> Example {
    Example {
        file: "v1/types.go",
        prelude: GO_PRELUDE,
        text,
        command: "go ./v1",
    }
}

/// A CRD.
pub(super) const fn crd(text: &'static str) -> Example {
    Example {
        file: "crd.yaml",
        prelude: "",
        text,
        command: "crd crd.yaml",
    }
}

/// A configuration.
pub(super) const fn project(text: &'static str) -> Example {
    Example {
        file: "codegen.toml",
        prelude: "",
        text,
        command: "generate",
    }
}

/// A command that is wrong whatever the files are.
pub(super) const fn command(command: &'static str) -> Example {
    Example {
        file: "",
        prelude: "",
        text: "",
        command,
    }
}
