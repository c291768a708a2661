//! Nothing: this crate only enables features of dependencies.
