//! Endpoints and endpoint slices: their addresses and ports.

use crate::harness::cases;
use crate::support::*;

cases![
    slice_needs_a_type: create_invalid_with(SLICES, json!({"endpoints": []}), "addressType: Required value"),
    type_of_a_slice_is_known: create_invalid_with(
        SLICES, json!({"addressType": "IPv5", "endpoints": []}),
        "addressType: Unsupported value: \"IPv5\": supported values: \"FQDN\", \"IPv4\", \"IPv6\""),
    type_of_a_slice_is_immutable,
    kept_endpoints_are_not_validated,
    endpoint_needs_an_address: create_invalid_with(
        SLICES, slice("IPv4", json!([])), "endpoints[0].addresses: Required value: must contain at least 1 address"),
    address_is_an_address: create_invalid_with(
        SLICES, slice("IPv4", json!(["10.0.0.1", "pod"])), "endpoints[0].addresses[1]: Invalid value: \"pod\": must be a valid IP address"),
    address_has_the_family_of_the_slice: create_invalid_with(
        SLICES, slice("IPv4", json!(["2001:db8::1"])), "endpoints[0].addresses: Invalid value: \"2001:db8::1\": must be an IPv4 address"),
    address_of_the_other_family_is_refused: create_invalid_with(
        SLICES, slice("IPv6", json!(["10.0.0.1"])), "endpoints[0].addresses: Invalid value: \"10.0.0.1\": must be an IPv6 address"),
    address_is_canonical: create_invalid_with(
        SLICES, slice("IPv6", json!(["2001:DB8::1"])),
        "endpoints[0].addresses[0]: Invalid value: \"2001:DB8::1\": must be in canonical form (\"2001:db8::1\")"),
    address_is_reachable: create_invalid_with(
        SLICES, slice("IPv4", json!(["127.0.0.1"])),
        "endpoints[0].addresses[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)"),
    domain_has_two_parts: create_invalid_with(
        SLICES, slice("FQDN", json!(["host"])),
        "endpoints[0].addresses[0]: Invalid value: \"host\": should be a domain with at least two segments separated by dots"),
    names_of_a_slices_ports_are_unique: create_invalid_with(
        SLICES, json!({"addressType": "IPv4", "endpoints": [], "ports": [{"port": 1}, {"port": 2}]}),
        "ports[1].name: Duplicate value: \"\""),
    protocol_of_a_slice_is_known: create_invalid_with(
        SLICES, json!({"addressType": "IPv4", "endpoints": [], "ports": [{"port": 1, "protocol": "X"}]}),
        "ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""),
    slice_has_at_most_a_thousand_endpoints: create_invalid_with(
        SLICES, json!({"addressType": "IPv4", "endpoints": vec![json!({"addresses": ["10.0.0.1"]}); 1001]}),
        "endpoints: Too many: 1001: must have at most 1000 items"),
    subset_needs_addresses: create_invalid_with(
        ENDPOINTS, json!({"subsets": [{"ports": [{"port": 1}]}]}),
        "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"),
    subset_has_addresses: create_invalid_with(
        ENDPOINTS, json!({"subsets": [{"addresses": [{"ip": "169.254.0.1"}]}]}),
        "subsets[0].addresses[0].ip: Invalid value: \"169.254.0.1\": may not be in the link-local range"),
    several_ports_have_names: create_invalid_with(
        ENDPOINTS, json!({"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 0, "name": "a"}, {"port": 2}]}]}),
        "[subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive, \
subsets[0].ports[1].name: Required value]"),
];

const SLICES: Resource<'_> = Resource(
    "/apis/discovery.k8s.io/v1",
    "endpointslices",
    "EndpointSlice",
);
const ENDPOINTS: Resource<'_> = Resource("/api/v1", "endpoints", "Endpoints");

/// A slice with one endpoint, which has these addresses.
fn slice(kind: &str, addresses: Value) -> Value {
    json!({"addressType": kind, "endpoints": [{"addresses": addresses}]})
}

async fn type_of_a_slice_is_immutable(client: Client) {
    let slices = SLICES.fresh(&client).await;
    slices
        .given("a", json!({"addressType": "IPv4", "endpoints": []}))
        .await;
    let reply = slices.merge("a", json!({"addressType": "IPv6"})).await;
    reply.invalid_with("addressType: Invalid value: \"IPv6\": field is immutable");
}

async fn kept_endpoints_are_not_validated(client: Client) {
    let slices = SLICES.fresh(&client).await;
    slices.given("a", slice("IPv4", json!(["10.0.0.1"]))).await;
    let reply = slices.merge("a", json!({"addressType": "IPv6"})).await;
    reply.invalid(
        "EndpointSlice.discovery.k8s.io \"a\" is invalid: addressType: Invalid value: \"IPv6\": field is immutable",
    );
    let endpoints = json!([{"addresses": ["10.0.0.2"]}, {"addresses": ["pod"]}]);
    let reply = slices.merge("a", json!({"endpoints": endpoints})).await;
    reply.invalid_with(
        "endpoints[1].addresses[0]: Invalid value: \"pod\": must be a valid IP address",
    );
}
