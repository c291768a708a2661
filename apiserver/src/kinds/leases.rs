//! Leases.

use serde_json::Value;

use crate::field::FieldError;
use crate::metadata::object::text;
use crate::registry::Strategy;
use crate::table::cells::{age, name};
use crate::table::{Printer, col, columns};

#[derive(Debug)]
pub(super) struct Lease;

impl Strategy for Lease {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let spec = &object["spec"];
        if let Some(seconds) = spec["leaseDurationSeconds"].as_i64().filter(|n| *n <= 0) {
            let path = "spec.leaseDurationSeconds";
            errors.push(FieldError::invalid(path, seconds, "must be greater than 0"));
        }
        if let Some(count) = spec["leaseTransitions"].as_i64().filter(|n| *n < 0) {
            let detail = "must be greater than or equal to 0";
            errors.push(FieldError::invalid("spec.leaseTransitions", count, detail));
        }
        errors
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o|
            col("Name") => name(o),
            col("Holder") => text(o, &["spec", "holderIdentity"]),
            col("Age") => age(o),
        }
    }
}
