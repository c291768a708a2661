//! The allocation of ports of the nodes, which no two services share.

use serde_json::{Value, json};

use super::types::{
    Spec, list, may_have_node_ports, needs_health_check, needs_node_ports, node_ports, number,
    spec, text,
};
use crate::field::FieldError;
use crate::metadata::object;
use crate::registry::Cluster;
use crate::status::ApiError;

/// The ports of a node that services may have.
const RANGE: std::ops::RangeInclusive<i64> = 30000..=32767;

/// Allocates the ports of the nodes that a service needs: those it asks for, those it had before
/// the update, or new ones.
///
/// # Errors
/// 422 if a port is taken or out of the range, 500 if it is the port for health checks or if no
/// port is left.
pub(super) fn allocate(
    cluster: &dyn Cluster,
    old: Option<&Value>,
    service: &mut Value,
) -> Result<(), ApiError> {
    let name = object::name(service).to_owned();
    let none = Spec::new();
    let before = old.and_then(|old| old["spec"].as_object()).unwrap_or(&none);
    let spec = spec(service);
    keep_numbers(before, spec);
    if !may_have_node_ports(spec) {
        return Ok(());
    }
    let mut pool = Pool::new(cluster, before, name);
    match old {
        Some(_) => allocate_added(&mut pool, spec)?,
        None => allocate_new(&mut pool, spec)?,
    }
    if needs_health_check(spec) && !(old.is_some() && needs_health_check(before)) {
        allocate_health_check(&mut pool, spec)?;
    }
    Ok(())
}

/// Fills in the numbers that an update leaves out.
fn keep_numbers(before: &Spec, spec: &mut Spec) {
    if needs_node_ports(before) && needs_node_ports(spec) {
        let used = node_ports(spec);
        let kept: Vec<(String, i64)> = list(before, "ports")
            .iter()
            .filter_map(Value::as_object)
            .map(|port| (text(port, "name").to_owned(), number(port, "nodePort")))
            .filter(|(_, node_port)| !used.contains(node_port))
            .collect();
        for port in ports(spec).filter(|port| number(port, "nodePort") == 0) {
            let same = kept.iter().find(|(name, _)| *name == text(port, "name"));
            if let Some((_, number)) = same.filter(|(_, number)| *number != 0) {
                port.insert("nodePort".into(), json!(number));
            }
        }
    }
    if needs_health_check(before)
        && needs_health_check(spec)
        && number(spec, "healthCheckNodePort") == 0
    {
        let kept = number(before, "healthCheckNodePort");
        spec.insert("healthCheckNodePort".into(), json!(kept));
    }
}

/// Allocates the ports of a new service. Ports with the same number and other protocols share a
/// port of the nodes.
fn allocate_new(pool: &mut Pool, spec: &mut Spec) -> Result<(), ApiError> {
    let draws = needs_node_ports(spec);
    let asked: Vec<(i64, i64)> = list(spec, "ports")
        .iter()
        .filter_map(Value::as_object)
        .map(|port| (number(port, "port"), number(port, "nodePort")))
        .filter(|(_, node_port)| *node_port != 0)
        .collect();
    let mut settled: Vec<(i64, i64)> = Vec::new();
    for (index, port) in ports(spec).enumerate() {
        let (given, key) = (number(port, "nodePort"), number(port, "port"));
        if given == 0 && !draws {
            continue;
        }
        let node_port = match (given, find(&settled, key)) {
            (0, Some(shared)) => shared,
            (given, Some(shared)) if given == shared => given,
            (given, Some(_)) => pool.take_for(index, given)?,
            (_, None) => match find(&asked, key) {
                Some(wanted) => pool.take_for(index, wanted)?,
                None => pool.draw("a nodePort")?,
            },
        };
        port.insert("nodePort".into(), json!(node_port));
        settled.push((key, node_port));
    }
    Ok(())
}

/// Returns the value of the first pair with this key.
fn find(pairs: &[(i64, i64)], key: i64) -> Option<i64> {
    let found = pairs.iter().find(|(number, _)| *number == key);
    found.map(|(_, node_port)| *node_port)
}

/// Allocates the ports that an update adds.
fn allocate_added(pool: &mut Pool, spec: &mut Spec) -> Result<(), ApiError> {
    let draws = needs_node_ports(spec);
    let mut added = Vec::new();
    for (index, port) in ports(spec).enumerate() {
        match number(port, "nodePort") {
            0 if draws => {
                port.insert("nodePort".into(), json!(pool.draw("a nodePort")?));
            }
            0 => {}
            given if added.contains(&given) => {}
            given => added.push(pool.take_for(index, given)?),
        }
    }
    Ok(())
}

fn allocate_health_check(pool: &mut Pool, spec: &mut Spec) -> Result<(), ApiError> {
    let wanted = number(spec, "healthCheckNodePort");
    if wanted == 0 {
        let drawn = pool.draw("a HealthCheck NodePort 0")?;
        spec.insert("healthCheckNodePort".into(), json!(drawn));
        return Ok(());
    }
    pool.take(wanted).map_err(|why| {
        ApiError::internal(format!(
            "failed to allocate requested HealthCheck NodePort {wanted}: {why}"
        ))
    })
}

fn ports(spec: &mut Spec) -> impl Iterator<Item = &mut Spec> {
    crate::kinds::defaults::objects(spec, "ports")
}

/// The ports of the nodes that are taken, and those that the service had before.
struct Pool {
    taken: Vec<i64>,
    own: Vec<i64>,
    /// The service's name.
    name: String,
}

impl Pool {
    fn new(cluster: &dyn Cluster, before: &Spec, name: String) -> Self {
        let services = cluster.stored("", "services");
        let specs = services.iter().filter_map(|s| s["spec"].as_object());
        let taken = specs.flat_map(|spec| {
            let check = number(spec, "healthCheckNodePort");
            node_ports(spec).into_iter().chain([check])
        });
        Self {
            taken: taken.filter(|number| *number != 0).collect(),
            own: node_ports(before),
            name,
        }
    }

    /// Takes a port; the service may keep one that it had.
    fn take(&mut self, number: i64) -> Result<(), String> {
        if self.own.contains(&number) {
            return Ok(());
        }
        if !RANGE.contains(&number) {
            return Err(format!(
                "provided port is not in the valid range. The range of valid ports is {}-{}",
                RANGE.start(),
                RANGE.end()
            ));
        }
        if self.taken.contains(&number) {
            return Err("provided port is already allocated".to_owned());
        }
        self.taken.push(number);
        Ok(())
    }

    /// Takes the port that the service asks for at an index of its ports.
    fn take_for(&mut self, index: usize, number: i64) -> Result<i64, ApiError> {
        let path = format!("spec.ports[{index}].nodePort");
        let taken = self.take(number);
        taken.map_err(|why| {
            let error = FieldError::invalid(path, number, why);
            ApiError::invalid("", "Service", &self.name, &[error])
        })?;
        Ok(number)
    }

    /// Draws a free port for `purpose`.
    fn draw(&mut self, purpose: &str) -> Result<i64, ApiError> {
        let first = rand::random_range(RANGE);
        let drawn = RANGE
            .map(|n| RANGE.start() + (n + first) % (RANGE.end() - RANGE.start() + 1))
            .find(|n| !self.taken.contains(n))
            .ok_or_else(|| {
                ApiError::internal(format!("failed to allocate {purpose}: range is full"))
            })?;
        self.taken.push(drawn);
        Ok(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_port_is_drawn_once() {
        let mut pool = Pool {
            taken: vec![30001],
            own: Vec::new(),
            name: "web".to_owned(),
        };
        let mut drawn: Vec<i64> = (1..RANGE.count())
            .map(|_| pool.draw("a nodePort").unwrap())
            .collect();
        drawn.sort_unstable();
        assert_eq!(drawn, RANGE.filter(|n| *n != 30001).collect::<Vec<_>>());
        let full = pool.draw("a nodePort").unwrap_err();
        assert!(
            full.to_string()
                .contains("failed to allocate a nodePort: range is full"),
            "{full}"
        );
    }
}
