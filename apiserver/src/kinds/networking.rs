//! Ingresses.

use serde_json::{Value, json};

use crate::metadata::object::text;
use crate::registry::Strategy;
use crate::table::cells::{self, age, items, joined, name, text_or};
use crate::table::{Printer, col};

#[derive(Debug)]
pub(super) struct Ingress;

impl Strategy for Ingress {
    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(
            &[
                col("Name"),
                col("Class"),
                col("Hosts"),
                col("Address"),
                col("Ports"),
                col("Age"),
            ],
            ingress_cells,
        );
        &PRINTER
    }
}

fn ingress_cells(o: &Value) -> Vec<Value> {
    let hosts: Vec<String> = items(o, &["spec", "rules"])
        .iter()
        .map(|rule| {
            text_or(rule, &["host"], "*")
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    let addresses: Vec<&str> = items(o, &["status", "loadBalancer", "ingress"])
        .iter()
        .map(|i| {
            if text(i, &["ip"]).is_empty() {
                text(i, &["hostname"])
            } else {
                text(i, &["ip"])
            }
        })
        .collect();
    let ports = if items(o, &["spec", "tls"]).is_empty() {
        "80"
    } else {
        "80, 443"
    };
    vec![
        name(o),
        cells::text(o, &["spec", "ingressClassName"]),
        if hosts.is_empty() {
            json!("*")
        } else {
            joined(hosts)
        },
        json!(addresses.join(",")),
        json!(ports),
        age(o),
    ]
}
