//! The addresses and address families of services, in a cluster that has only IPv4 addresses.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::types::{Spec, has_cluster_ip, is_headless, list, spec, text};
use crate::field::FieldError;
use crate::kinds::net::{contains, ip_fault};
use crate::metadata::object;
use crate::registry::{Cluster, ServiceRange};
use crate::status::ApiError;

const FAMILIES: &[&str] = &["IPv4", "IPv6"];
const POLICIES: &[&str] = &["PreferDualStack", "RequireDualStack", "SingleStack"];

/// Settles the address families of a service and allocates its address: the one it asks for, the
/// one it had before the update, or a new one.
///
/// # Errors
/// 422, or 500 if no address is left.
pub(super) fn allocate(
    cluster: &dyn Cluster,
    old: Option<&Value>,
    service: &mut Value,
) -> Result<(), ApiError> {
    let name = object::name(service).to_owned();
    let old = old.and_then(|old| old["spec"].as_object());
    let spec = spec(service);
    normalise(old, spec);
    if !has_cluster_ip(spec) {
        return Ok(());
    }
    settle_families(old, spec)
        .map_err(|errors| ApiError::invalid("", "Service", &name, &errors))?;
    // An update keeps the address, unless the service had none at all.
    if is_headless(spec) || old.is_some_and(has_cluster_ip) {
        return Ok(());
    }
    let services = cluster.stored("", "services");
    allocate_address(cluster.service_range(), &services, &name, spec)
}

/// Fills in `clusterIP` and `clusterIPs`, of which clients may give only one.
fn normalise(old: Option<&Spec>, spec: &mut Spec) {
    let Some(old) = old else {
        let address = text(spec, "clusterIP").to_owned();
        if !address.is_empty() && list(spec, "clusterIPs").is_empty() {
            spec.insert("clusterIPs".into(), json!([address]));
        }
        return;
    };
    if has_cluster_ip(old) && has_cluster_ip(spec) {
        if text(spec, "clusterIP").is_empty() {
            copy(old, spec, "clusterIP");
        }
        if list(spec, "clusterIPs").is_empty() {
            copy(old, spec, "clusterIPs");
        }
    }
    let (before, now) = (text(old, "clusterIP"), text(spec, "clusterIP").to_owned());
    let is_same = list(old, "clusterIPs") == list(spec, "clusterIPs");
    if before == now {
        if list(spec, "clusterIPs").is_empty() {
            copy(old, spec, "clusterIPs");
        }
    } else if is_same && now.is_empty() {
        spec.remove("clusterIPs");
    } else if is_same {
        spec.insert("clusterIPs".into(), json!([now]));
    }
}

fn copy(old: &Spec, spec: &mut Spec, field: &str) {
    if let Some(value) = old.get(field) {
        spec.insert(field.to_owned(), value.clone());
    }
}

/// Fills in the address families and their policy, and validates them with the addresses.
fn settle_families(old: Option<&Spec>, spec: &mut Spec) -> Result<(), Vec<FieldError>> {
    let has_no_selector = spec
        .get("selector")
        .and_then(Value::as_object)
        .is_none_or(|selector| selector.is_empty());
    let is_free = text(spec, "clusterIP") == "None" && has_no_selector;
    if text(spec, "ipFamilyPolicy").is_empty() {
        let kept = old.map_or("", |old| text(old, "ipFamilyPolicy"));
        let policy = match (kept, is_free) {
            ("", true) => "RequireDualStack",
            ("", false) => "SingleStack",
            (kept, _) => kept,
        };
        spec.insert("ipFamilyPolicy".into(), json!(policy));
    }
    refuse(check(old, spec))?;
    let mut errors = Vec::new();
    shrink(old, spec, &mut errors);
    infer_families(spec, &mut errors);
    refuse(errors)?;
    let is_single = text(spec, "ipFamilyPolicy") == "SingleStack";
    let mut families = list(spec, "ipFamilies").to_vec();
    if families.is_empty() {
        families.push(json!("IPv4"));
    }
    if is_free {
        // Endpoints of any family may be behind a headless service without a selector.
        if families.len() == 1 && !is_single {
            let other = if families[0] == "IPv4" {
                "IPv6"
            } else {
                "IPv4"
            };
            families.push(json!(other));
        }
    } else {
        refuse(check_configured(spec))?;
    }
    spec.insert("ipFamilies".into(), Value::Array(families));
    Ok(())
}

fn refuse(errors: Vec<FieldError>) -> Result<(), Vec<FieldError>> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

/// Drops a second family if the update asks for a single one. Only that policy may reduce families.
fn shrink(old: Option<&Spec>, spec: &mut Spec, errors: &mut Vec<FieldError>) {
    let policy = text(spec, "ipFamilyPolicy").to_owned();
    let families = list(spec, "ipFamilies");
    let before = old.map_or(&[][..], |old| list(old, "ipFamilies"));
    let fault = |detail: &str| FieldError::invalid("spec.ipFamilyPolicy", &*policy, detail);
    if policy == "SingleStack" && old.is_some() && families == before {
        let first: Vec<Value> = families.iter().take(1).cloned().collect();
        spec.insert("ipFamilies".into(), Value::Array(first));
    } else if policy != "SingleStack" && !families.is_empty() && families.len() < before.len() {
        errors.push(fault(
            "must be 'SingleStack' to release the secondary IP family",
        ));
    }
    for (field, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
        if policy == "SingleStack" && list(spec, field).len() == 2 {
            let detail = format!(
                "must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified"
            );
            errors.push(fault(&detail));
        }
    }
}

/// Appends the families of the addresses that have none yet.
fn infer_families(spec: &mut Spec, errors: &mut Vec<FieldError>) {
    let mut families = list(spec, "ipFamilies").to_vec();
    let addresses = list(spec, "clusterIPs");
    for (index, address) in addresses.iter().enumerate() {
        if address == "None" {
            break;
        }
        if index < families.len() {
            continue;
        }
        if is_ipv6(address) {
            errors.push(FieldError::invalid(
                format!("spec.clusterIPs[{index}]"),
                json!(addresses),
                "IPv6 is not configured on this cluster",
            ));
        } else {
            families.push(json!("IPv4"));
        }
    }
    if !families.is_empty() {
        spec.insert("ipFamilies".into(), Value::Array(families));
    }
}

/// Checks that the cluster has what a service demands.
fn check_configured(spec: &Spec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let policy = text(spec, "ipFamilyPolicy");
    if policy == "RequireDualStack" {
        let detail = "this cluster is not configured for dual-stack services";
        errors.push(FieldError::invalid("spec.ipFamilyPolicy", policy, detail));
    }
    for (index, family) in list(spec, "ipFamilies").iter().enumerate() {
        if family != "IPv4" {
            let path = format!("spec.ipFamilies[{index}]");
            let detail = "not configured on this cluster";
            errors.push(FieldError::invalid(path, family.clone(), detail));
        }
    }
    errors
}

/// Validates the addresses and families.
fn check(old: Option<&Spec>, spec: &Spec) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let addresses = list(spec, "clusterIPs");
    let all = || json!(addresses);
    let fault = |detail: &str| FieldError::invalid("spec.clusterIPs", all(), detail);
    match (text(spec, "clusterIP"), addresses.first()) {
        ("", Some(_)) => errors.push(fault("must be empty when `clusterIP` is not specified")),
        ("", None) => {}
        (_, None) => errors.push(FieldError::required("spec.clusterIPs", "")),
        (single, Some(first)) if first == single => {}
        _ => errors.push(fault("first value must match `clusterIP`")),
    }
    check_families(spec, &mut errors);
    let before = old.map_or(&[][..], |old| list(old, "clusterIPs"));
    let known = errors.len();
    for (index, address) in addresses.iter().enumerate() {
        let given = address.as_str().unwrap_or_default();
        if index == 0 && given == "None" {
            if addresses.len() > 1 {
                errors.push(fault("'None' must be the first and only value"));
            }
        } else if let Some(why) = ip_fault(given).filter(|_| !before.contains(address)) {
            let path = format!("spec.clusterIPs[{index}]");
            errors.push(FieldError::invalid(path, given, why));
        }
    }
    let has_invalid = errors.len() > known;
    if addresses.len() > 2 {
        errors.push(fault("may only hold up to 2 values"));
    }
    if !has_invalid {
        check_pairs(spec, &mut errors);
    }
    errors
}

fn check_families(spec: &Spec, errors: &mut Vec<FieldError>) {
    let families = list(spec, "ipFamilies");
    for (index, family) in families.iter().enumerate() {
        let path = format!("spec.ipFamilies[{index}]");
        let given = family.as_str().unwrap_or_default();
        if !FAMILIES.contains(&given) {
            errors.push(FieldError::unsupported(path.clone(), given, FAMILIES));
        }
        if families[..index].contains(family) {
            errors.push(FieldError::duplicate(path, given));
        }
    }
    let policy = text(spec, "ipFamilyPolicy");
    if !policy.is_empty() && !POLICIES.contains(&policy) {
        let path = "spec.ipFamilyPolicy";
        errors.push(FieldError::unsupported(path, policy, POLICIES));
    }
}

/// Checks that addresses have different families, and those that the service names.
fn check_pairs(spec: &Spec, errors: &mut Vec<FieldError>) {
    let addresses = list(spec, "clusterIPs");
    let of_v6 = addresses.iter().filter(|a| is_ipv6(a)).count();
    if addresses.len() > 1 && (of_v6 == 0 || of_v6 == addresses.len()) {
        let detail = "may specify no more than one IP for each IP family";
        errors.push(FieldError::invalid(
            "spec.clusterIPs",
            json!(addresses),
            detail,
        ));
    }
    if is_headless(spec) {
        return;
    }
    let pairs = addresses.iter().zip(list(spec, "ipFamilies"));
    for (index, (address, family)) in pairs.enumerate() {
        let family = family.as_str().unwrap_or_default();
        if (family == "IPv6") != is_ipv6(address) {
            errors.push(FieldError::invalid(
                format!("spec.clusterIPs[{index}]"),
                address.clone(),
                format!("expected an {family} value as indicated by `ipFamilies[{index}]`"),
            ));
        }
    }
}

fn is_ipv6(address: &Value) -> bool {
    address.as_str().is_some_and(|text| text.contains(':'))
}

fn allocate_address(
    range: ServiceRange,
    services: &[Value],
    name: &str,
    spec: &mut Spec,
) -> Result<(), ApiError> {
    let taken: HashSet<&str> = services
        .iter()
        .filter_map(|service| service["spec"]["clusterIP"].as_str())
        .collect();
    let given = text(spec, "clusterIP").to_owned();
    let address = if given.is_empty() {
        draw(range, &taken).ok_or_else(|| {
            ApiError::internal(format!(
                "failed to allocate a serviceIP for Service {name:?}: range is full"
            ))
        })?
    } else {
        let (first, bits) = range.cidr();
        let why = match given.parse() {
            Ok(address) if !contains((first.into(), bits), address) => {
                Some("the provided network does not match the current range")
            }
            _ => taken
                .contains(given.as_str())
                .then_some("provided IP is already allocated"),
        };
        if let Some(why) = why {
            let all = json!(list(spec, "clusterIPs"));
            let detail = format!("failed to allocate IP {given}: {why}");
            let error = FieldError::invalid("spec.clusterIPs", all, detail);
            return Err(ApiError::invalid("", "Service", name, &[error]));
        }
        given
    };
    spec.insert("clusterIPs".into(), json!([address]));
    spec.insert("clusterIP".into(), json!(address));
    Ok(())
}

/// Draws an address that is not taken; `None` if all are.
fn draw(range: ServiceRange, taken: &HashSet<&str>) -> Option<String> {
    let count = range.count();
    let first = rand::random_range(0..count);
    let mut addresses = (0..count).map(|n| range.address((n + first) % count).to_string());
    addresses.find(|address| !taken.contains(address.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_address_is_found_and_then_none() {
        let range = ServiceRange::default();
        let all = (0..range.count()).map(|n| range.address(n).to_string());
        let all: Vec<String> = all.collect();
        let mut taken: HashSet<&str> = all.iter().map(String::as_str).collect();
        taken.remove("10.0.7.9");
        assert_eq!(draw(range, &taken).as_deref(), Some("10.0.7.9"));
        taken.insert("10.0.7.9");
        assert_eq!(draw(range, &taken), None);
    }
}
