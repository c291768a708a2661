//! Pod disruption budgets.

use serde_json::{Value, json};

use crate::metadata::object::at;
use crate::registry::Strategy;
use crate::table::cells::{age, name, number};
use crate::table::{Printer, col, num};

#[derive(Debug)]
pub(super) struct PodDisruptionBudget;

impl Strategy for PodDisruptionBudget {
    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(
            &[
                col("Name"),
                col("Min Available"),
                col("Max Unavailable"),
                num("Allowed Disruptions"),
                col("Age"),
            ],
            cells,
        );
        &PRINTER
    }
}

fn cells(o: &Value) -> Vec<Value> {
    let limit = |field: &str| match at(o, &["spec", field]) {
        Some(Value::String(text)) => json!(text),
        Some(Value::Number(n)) => json!(n.to_string()),
        _ => json!("N/A"),
    };
    vec![
        name(o),
        limit("minAvailable"),
        limit("maxUnavailable"),
        json!(number(o, &["status", "disruptionsAllowed"])),
        age(o),
    ]
}
