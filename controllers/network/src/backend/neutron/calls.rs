//! Requests to the Networking API.

use std::net::IpAddr;

use http::{Method, StatusCode};
use ipnet::IpNet;
use serde::Deserialize;
use serde_json::{Value, json};

use super::session::Http;
use crate::backend::{Addresses, BackendError, Owner};

/// The maximum length of a name in Neutron.
const NAME: usize = 255;

/// The used fields of a network.
#[derive(Debug, Deserialize)]
pub(super) struct NetworkBody {
    pub(super) id: String,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) created_at: String,
}

/// The used fields of a subnet.
#[derive(Debug, Deserialize)]
pub(super) struct SubnetBody {
    pub(super) id: String,
    pub(super) cidr: String,
    pub(super) gateway_ip: Option<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) created_at: String,
}

#[derive(Deserialize)]
struct Networks {
    networks: Vec<NetworkBody>,
}

#[derive(Deserialize)]
struct Subnets {
    subnets: Vec<SubnetBody>,
}

#[derive(Deserialize)]
struct OneNetwork {
    network: NetworkBody,
}

#[derive(Deserialize)]
struct OneSubnet {
    subnet: SubnetBody,
}

impl Http {
    /// Lists the networks with a value of a field.
    pub(super) async fn networks(
        &self,
        field: &str,
        value: &str,
    ) -> Result<Vec<NetworkBody>, BackendError> {
        let query = query(&[(field, value)]);
        let path = format!("/v2.0/networks?{query}");
        let answer = self.call(Method::GET, &path, None).await?;
        Ok(answer.read::<Networks>()?.networks)
    }

    /// Lists the subnets of a network.
    pub(super) async fn subnets(&self, network: &str) -> Result<Vec<SubnetBody>, BackendError> {
        let query = query(&[("network_id", network)]);
        let path = format!("/v2.0/subnets?{query}");
        let answer = self.call(Method::GET, &path, None).await?;
        Ok(answer.read::<Subnets>()?.subnets)
    }

    pub(super) async fn create_network(
        &self,
        owner: &Owner,
        project: Option<&str>,
    ) -> Result<NetworkBody, BackendError> {
        let mut network = json!({ "name": name(owner), "description": owner.uid });
        set_project(&mut network, project);
        let body = json!({ "network": network });
        let answer = self
            .call(Method::POST, "/v2.0/networks", Some(&body))
            .await?;
        Ok(answer.read::<OneNetwork>()?.network)
    }

    pub(super) async fn create_subnet(
        &self,
        owner: &Owner,
        network: &str,
        addresses: Addresses,
        project: Option<&str>,
    ) -> Result<SubnetBody, BackendError> {
        let mut subnet = json!({
            "name": name(owner),
            "description": owner.uid,
            "network_id": network,
            "ip_version": if addresses.gateway.is_ipv4() { 4 } else { 6 },
            "cidr": addresses.cidr.to_string(),
            "gateway_ip": addresses.gateway,
        });
        set_project(&mut subnet, project);
        let body = json!({ "subnet": subnet });
        let answer = self
            .call(Method::POST, "/v2.0/subnets", Some(&body))
            .await?;
        Ok(answer.read::<OneSubnet>()?.subnet)
    }

    /// Changes a gateway together with the allocation pools: Neutron rejects a gateway inside a
    /// pool.
    pub(super) async fn set_gateway(
        &self,
        subnet: &SubnetBody,
        gateway: IpAddr,
    ) -> Result<(), BackendError> {
        let range = subnet.cidr.parse().map_err(|_| {
            BackendError::Unavailable(format!(
                "the subnet's cidr is not an address range: {:?}",
                subnet.cidr
            ))
        })?;
        let pools: Vec<Value> = pools(range, gateway)
            .into_iter()
            .map(|(start, end)| json!({ "start": start, "end": end }))
            .collect();
        let body = json!({ "subnet": { "gateway_ip": gateway, "allocation_pools": pools } });
        let path = format!("/v2.0/subnets/{}", subnet.id);
        self.call(Method::PUT, &path, Some(&body)).await?.accept()
    }

    /// Tags a resource. Idempotent.
    pub(super) async fn tag(&self, kind: &str, id: &str, tag: &str) -> Result<(), BackendError> {
        let path = format!("/v2.0/{kind}/{id}/tags/{tag}");
        self.call(Method::PUT, &path, None).await?.accept()
    }

    /// Deletes a resource. Idempotent.
    pub(super) async fn delete(&self, kind: &str, id: &str) -> Result<(), BackendError> {
        let path = format!("/v2.0/{kind}/{id}");
        let answer = self.call(Method::DELETE, &path, None).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(());
        }
        answer.accept()
    }
}

fn set_project(resource: &mut Value, project: Option<&str>) {
    if let Some(project) = project {
        resource["project_id"] = project.into();
    }
}

/// The object's name, for display only: networks are found by uid.
fn name(owner: &Owner) -> String {
    owner.to_string().chars().take(NAME).collect()
}

/// Returns the allocation pools: the range without its network, broadcast and gateway addresses.
fn pools(range: IpNet, gateway: IpAddr) -> Vec<(IpAddr, IpAddr)> {
    let number = |address: IpAddr| match address {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address),
    };
    let address = |number: u128| match (range, u32::try_from(number)) {
        (IpNet::V4(_), Ok(number)) => IpAddr::from(number.to_be_bytes()),
        _ => IpAddr::from(number.to_be_bytes()),
    };
    let reserved = u128::from(gateway.is_ipv4());
    let first = number(range.network()).saturating_add(1);
    let last = number(range.broadcast()).saturating_sub(reserved);
    let gateway = number(gateway);
    [
        (first, gateway.saturating_sub(1)),
        (gateway.saturating_add(1), last),
    ]
    .into_iter()
    .filter(|(start, end)| start <= end)
    .map(|(start, end)| (address(start), address(end)))
    .collect()
}

fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_leave_the_gateway_out() {
        let check = |range: &str, gateway: &str, expected: &[(&str, &str)]| {
            let range = range.parse().expect("a range");
            let found = pools(range, gateway.parse().expect("an address"));
            let found: Vec<(String, String)> = found
                .into_iter()
                .map(|(start, end)| (start.to_string(), end.to_string()))
                .collect();
            let expected: Vec<(String, String)> = expected
                .iter()
                .map(|(start, end)| ((*start).to_owned(), (*end).to_owned()))
                .collect();
            assert_eq!(found, expected, "{range} {gateway}");
        };
        check("10.0.0.0/24", "10.0.0.1", &[("10.0.0.2", "10.0.0.254")]);
        check("10.0.0.0/24", "10.0.0.254", &[("10.0.0.1", "10.0.0.253")]);
        check(
            "10.0.0.0/24",
            "10.0.0.9",
            &[("10.0.0.1", "10.0.0.8"), ("10.0.0.10", "10.0.0.254")],
        );
        check(
            "fd00::/64",
            "fd00::2",
            &[
                ("fd00::1", "fd00::1"),
                ("fd00::3", "fd00::ffff:ffff:ffff:ffff"),
            ],
        );
        check(
            "::/0",
            "::1",
            &[("::2", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
        );
    }
}
