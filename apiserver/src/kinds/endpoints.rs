//! Endpoints and endpoint slices: the addresses behind services.

use serde_json::{Value, json};

use super::defaults::{objects, set};
use crate::metadata::object::{fields, text};
use crate::registry::Strategy;
use crate::table::cells::{age, first, items, name, number};
use crate::table::{Printer, col};

/// The number of addresses and ports that a cell shows.
const SHOWN: usize = 3;

#[derive(Debug)]
pub(super) struct Endpoints;

impl Strategy for Endpoints {
    fn set_defaults(&self, object: &mut Value) {
        for subset in objects(fields(object), "subsets") {
            for port in objects(subset, "ports") {
                set(port, "protocol", "TCP");
            }
        }
    }

    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(&[col("Name"), col("Endpoints"), col("Age")], |o| {
            let subsets = items(o, &["subsets"]);
            let shown = match subsets {
                [] => "<none>".to_owned(),
                _ => first(SHOWN, subsets.iter().flat_map(endpoints), ","),
            };
            vec![name(o), json!(shown), age(o)]
        });
        &PRINTER
    }
}

/// Returns the addresses of a subset, with each of its ports.
fn endpoints(subset: &Value) -> Vec<String> {
    let addresses = || {
        items(subset, &["addresses"])
            .iter()
            .map(|a| text(a, &["ip"]))
    };
    let ports = items(subset, &["ports"]);
    if ports.is_empty() {
        return addresses().map(str::to_owned).collect();
    }
    let at = |port: &Value| {
        let port = number(port, &["port"]);
        addresses().map(move |ip| match ip.contains(':') {
            true => format!("[{ip}]:{port}"),
            false => format!("{ip}:{port}"),
        })
    };
    ports.iter().flat_map(at).collect()
}

#[derive(Debug)]
pub(super) struct EndpointSlice;

impl Strategy for EndpointSlice {
    fn set_defaults(&self, object: &mut Value) {
        for port in objects(fields(object), "ports") {
            set(port, "name", "");
            set(port, "protocol", "TCP");
        }
    }

    fn printer(&self) -> &'static Printer {
        static PRINTER: Printer = Printer::new(
            &[
                col("Name"),
                col("AddressType"),
                col("Ports"),
                col("Endpoints"),
                col("Age"),
            ],
            slice_cells,
        );
        &PRINTER
    }
}

fn slice_cells(o: &Value) -> Vec<Value> {
    let ports = items(o, &["ports"])
        .iter()
        .map(|port| match port["port"].as_i64() {
            Some(number) => number.to_string(),
            None if port["name"].is_null() => "*".to_owned(),
            None => text(port, &["name"]).to_owned(),
        });
    let addresses = items(o, &["endpoints"]).iter().flat_map(|endpoint| {
        let addresses = items(endpoint, &["addresses"]).iter();
        addresses.filter_map(Value::as_str).map(str::to_owned)
    });
    let or_unset = |shown: String| match shown.is_empty() {
        true => json!("<unset>"),
        false => json!(shown),
    };
    vec![
        name(o),
        json!(text(o, &["addressType"])),
        or_unset(first(SHOWN, ports, ",")),
        or_unset(first(SHOWN, addresses, ",")),
        age(o),
    ]
}
