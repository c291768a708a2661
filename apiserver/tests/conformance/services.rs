//! Services: what they allocate, what their types have, and what is refused.

use crate::harness::cases;
use crate::support::*;

const PORT: &str = "must be between 1 and 65535, inclusive";

cases![
    what_the_type_ignores_is_warned_of,
    type_is_known: create_invalid_with(SERVICES, of(json!({"type": "X"})),
        "spec.type: Unsupported value: \"X\": supported values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\""),
    external_name_is_required: create_invalid_with(
        SERVICES, json!({"spec": {"type": "ExternalName"}}), "spec.externalName: Required value"),
    external_name_has_no_address: create_invalid_with(
        SERVICES, json!({"spec": {"type": "ExternalName", "externalName": "a.b", "clusterIP": "10.0.3.4"}}),
        "spec.clusterIPs: Forbidden: may not be set for ExternalName services"),
    ports_are_numbers_of_ports: create_invalid_with(
        SERVICES, ports(json!([{"port": 70000, "targetPort": 0}])),
        &format!("[spec.ports[0].port: Invalid value: 70000: {PORT}, spec.ports[0].targetPort: Invalid value: 70000: {PORT}]")),
    several_ports_need_names: create_invalid_with(
        SERVICES, ports(json!([{"port": 1}, {"port": 2}])),
        "[spec.ports[0].name: Required value, spec.ports[1].name: Required value]"),
    port_names_are_unique: create_invalid_with(
        SERVICES, ports(json!([{"port": 1, "name": "a"}, {"port": 2, "name": "a"}])),
        "spec.ports[1].name: Duplicate value: \"a\""),
    ports_are_unique: create_invalid_with(
        SERVICES, ports(json!([{"port": 1, "name": "a"}, {"port": 1, "name": "b"}])), "spec.ports[1]: Duplicate value: {"),
    protocol_is_known: create_invalid_with(
        SERVICES, ports(json!([{"port": 1, "protocol": "X"}])),
        "spec.ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""),
    target_port_is_a_name: create_invalid_with(
        SERVICES, ports(json!([{"port": 1, "targetPort": "123"}])),
        "spec.ports[0].targetPort: Invalid value: \"123\": must contain at least one letter (a-z)"),
    session_affinity_is_known: create_invalid_with(
        SERVICES, of(json!({"sessionAffinity": "X"})),
        "spec.sessionAffinity: Unsupported value: \"X\": supported values: \"ClientIP\", \"None\""),
    internal_traffic_policy_is_known: create_invalid_with(
        SERVICES, of(json!({"internalTrafficPolicy": "X"})),
        "spec.internalTrafficPolicy: Unsupported value: \"X\": supported values: \"Cluster\", \"Local\""),
    external_traffic_policy_needs_external_traffic: create_invalid_with(
        SERVICES, of(json!({"externalTrafficPolicy": "Local"})),
        "spec.externalTrafficPolicy: Invalid value: \"Local\": may only be set for externally-accessible services"),
    node_port_needs_a_type: create_invalid_with(
        SERVICES, ports(json!([{"port": 1, "nodePort": 30001}])),
        "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"),
    node_port_is_in_the_range: create_invalid_with(
        SERVICES, json!({"spec": {"type": "NodePort", "ports": [{"port": 1, "nodePort": 1}]}}),
        "spec.ports[0].nodePort: Invalid value: 1: provided port is not in the valid range. The range of valid ports is 30000-32767"),
    health_check_needs_local_traffic: create_invalid_with(
        SERVICES, of(json!({"healthCheckNodePort": 31001})),
        "spec.healthCheckNodePort: Invalid value: 31001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
    source_ranges_are_ranges: create_invalid_with(
        SERVICES, of(json!({"type": "LoadBalancer", "loadBalancerSourceRanges": ["10.0.0.1/8"]})),
        "spec.LoadBalancerSourceRanges[0]: Invalid value: \"10.0.0.1/8\": must not have bits set beyond the prefix length"),
    load_balancer_class_needs_a_load_balancer: create_invalid_with(
        SERVICES, of(json!({"loadBalancerClass": "a/b"})),
        "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'"),
    node_port_is_not_headless: create_invalid_with(
        SERVICES, of(json!({"type": "NodePort", "clusterIP": "None"})),
        "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"),
    external_addresses_are_reachable: create_invalid_with(
        SERVICES, of(json!({"externalIPs": ["x", "127.0.0.1"]})),
        "[spec.externalIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), \
spec.externalIPs[1]: Invalid value: \"127.0.0.1\": may not be in the loopback range (127.0.0.0/8, ::1/128)]"),
    address_is_valid: create_invalid_with(
        SERVICES, of(json!({"clusterIP": "text"})), "spec.clusterIPs[0]: Invalid value: \"text\": must be a valid IP address"),
    address_is_in_the_range: create_invalid_with(
        SERVICES, of(json!({"clusterIP": "192.168.0.1"})),
        "failed to allocate IP 192.168.0.1: the provided network does not match the current range"),
    addresses_agree: create_invalid_with(
        SERVICES, of(json!({"clusterIP": "10.0.77.78", "clusterIPs": ["10.0.77.79"]})),
        "spec.clusterIPs: Invalid value: [\"10.0.77.79\"]: first value must match `clusterIP`"),
    family_is_configured: create_invalid_with(
        SERVICES, of(json!({"ipFamilies": ["IPv6"]})),
        "spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster"),
    two_families_need_a_policy: create_invalid_with(
        SERVICES, of(json!({"ipFamilies": ["IPv4", "IPv6"]})),
        "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified"),
    selector_has_labels: create_invalid_with(
        SERVICES, of(json!({"selector": {"a b": "c"}})), "spec.selector: Invalid value: \"a b\": name part must consist of"),
    headless_service_prefers_the_given_family,
    node_ports_are_not_shared,
    addresses_are_not_shared,
    protocols_of_a_port_share_a_node_port,
    local_traffic_gets_a_health_check,
    update_keeps_node_ports_by_name,
    server_owned_ports_have_no_manager,
    change_of_type_drops_fields,
    address_cannot_change,
    deletion_removes_endpoints,
];

/// A service with a port and these fields.
fn of(mut spec: Value) -> Value {
    spec["ports"] = json!([{"port": 80}]);
    json!({"spec": spec})
}

fn ports(ports: Value) -> Value {
    json!({"spec": {"ports": ports}})
}

async fn headless_service_prefers_the_given_family(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let created = services
        .given(
            "a",
            of(json!({"clusterIP": "None", "ipFamilies": ["IPv6"]})),
        )
        .await;
    check!(created, "/spec/ipFamilies": ["IPv6", "IPv4"], "/spec/ipFamilyPolicy": "RequireDualStack");
    let single = of(json!({"clusterIP": "None", "ipFamilyPolicy": "SingleStack"}));
    check!(services.given("b", single).await, "/spec/ipFamilies": ["IPv4"]);
}

async fn node_ports_are_not_shared(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let first = services.given("a", of(json!({"type": "NodePort"}))).await;
    let taken = at(&first, "/spec/ports/0/nodePort").clone();
    let second = json!({"spec": {"type": "NodePort", "ports": [{"port": 1, "nodePort": taken}]}});
    let fault = format!(
        "Service \"b\" is invalid: spec.ports[0].nodePort: Invalid value: {taken}: provided port is already allocated"
    );
    services.creation("b", second.clone()).await.invalid(&fault);
    services.delete("a").await.is(200);
    services.given("b", second).await;
}

async fn addresses_are_not_shared(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let first = services.given("a", of(json!({}))).await;
    let taken = at(&first, "/spec/clusterIP").as_str().unwrap_or_default();
    let reply = services
        .creation("b", of(json!({"clusterIP": taken})))
        .await;
    reply.invalid_with(&format!(
        "failed to allocate IP {taken}: provided IP is already allocated"
    ));
}

async fn protocols_of_a_port_share_a_node_port(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let ports =
        json!([{"port": 53, "name": "tcp"}, {"port": 53, "name": "udp", "protocol": "UDP"}]);
    let created = services
        .given("a", json!({"spec": {"type": "NodePort", "ports": ports}}))
        .await;
    let shared = at(&created, "/spec/ports/0/nodePort").clone();
    check!(created, "/spec/ports/1/nodePort": shared);
}

async fn local_traffic_gets_a_health_check(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let local = of(json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local"}));
    let created = services.given("a", local).await;
    let port = at(&created, "/spec/healthCheckNodePort").as_i64();
    let port = port.expect("a port for health checks");
    assert!((30000..=32767).contains(&port), "{port}");
    let absent = json!({"spec": {"healthCheckNodePort": null}});
    check!(services.merge("a", absent).await.is(200), "/spec/healthCheckNodePort": port);
    let taken = of(
        json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": port}),
    );
    services.creation("b", taken).await.fails_with(
        500,
        "InternalError",
        &format!("failed to allocate requested HealthCheck NodePort {port}: provided port is already allocated"),
    );
    let other = json!({"spec": {"healthCheckNodePort": if port == 31555 { 31556 } else { 31555 }}});
    services
        .merge("a", other)
        .await
        .invalid_with("spec.healthCheckNodePort: Forbidden: field is immutable");
    let cluster = json!({"spec": {"externalTrafficPolicy": "Cluster"}});
    check!(services.merge("a", cluster).await.is(200), "/spec/healthCheckNodePort": null);
}

async fn update_keeps_node_ports_by_name(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let two = |first: u16| json!({"spec": {"type": "NodePort", "ports": [{"name": "a", "port": first}, {"name": "b", "port": 2}]}});
    let created = services.given("a", two(1)).await;
    let kept = at(&created, "/spec/ports/0/nodePort").clone();
    let renumbered = services.replaced("a", &services.object("a", two(9))).await;
    check!(renumbered, "/spec/ports/0/port": 9, "/spec/ports/0/nodePort": kept);
}

async fn server_owned_ports_have_no_manager(client: Client) {
    let services = SERVICES.fresh(&client).await;
    services.given("a", of(json!({}))).await;
    let to_nodes = json!({"spec": {"type": "NodePort"}});
    let changed = services.merge("a", to_nodes).await.is(200);
    assert!(at(&changed, "/spec/ports/0/nodePort").is_i64());
    let managed = at(&changed, "/metadata/managedFields").to_string();
    assert!(managed.contains("f:type"), "{managed}");
    assert!(!managed.contains("f:nodePort"), "{managed}");
}

async fn change_of_type_drops_fields(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let local = of(json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local"}));
    services.given("a", local).await;
    let inside = services
        .merge("a", json!({"spec": {"type": "ClusterIP"}}))
        .await
        .is(200);
    check!(inside,
        "/spec/allocateLoadBalancerNodePorts": null,
        "/spec/externalTrafficPolicy": null,
        "/spec/healthCheckNodePort": null,
        "/spec/ports/0": {"port": 80, "protocol": "TCP", "targetPort": 80});
    let external = json!({"spec": {"type": "ExternalName", "externalName": "a.example.com"}});
    let external = services.merge("a", external).await.is(200);
    check!(external,
        "/spec/clusterIP": null,
        "/spec/clusterIPs": null,
        "/spec/internalTrafficPolicy": null,
        "/spec/ipFamilies": null,
        "/spec/ipFamilyPolicy": null);
    let again = services
        .merge("a", json!({"spec": {"type": "ClusterIP"}}))
        .await
        .is(200);
    assert!(at(&again, "/spec/clusterIP").is_string());
}

async fn address_cannot_change(client: Client) {
    let services = SERVICES.fresh(&client).await;
    services.given("a", of(json!({}))).await;
    for (address, shown) in [("10.0.88.88", "[\"10.0.88.88\"]"), ("None", "[\"None\"]")] {
        let reply = services
            .merge("a", json!({"spec": {"clusterIP": address}}))
            .await;
        reply.invalid_with(&format!(
            "spec.clusterIPs[0]: Invalid value: {shown}: may not change once set"
        ));
    }
}

async fn deletion_removes_endpoints(client: Client) {
    let services = SERVICES.fresh(&client).await;
    services.given("a", of(json!({}))).await;
    let path = services.path.replace("/services", "/endpoints");
    let endpoints = json!({"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "a"}});
    post(&client, &path, &endpoints).await.is(201);
    services.delete("a").await.is(200);
    get(&client, &format!("{path}/a"))
        .await
        .refused(404, "NotFound");
}

async fn what_the_type_ignores_is_warned_of(client: Client) {
    let services = SERVICES.fresh(&client).await;
    let spec = json!({"ports": [{"port": 80}], "externalName": "a.example.com"});
    let reply = services
        .create(&services.object("a", json!({"spec": spec})))
        .await;
    let ignored = |field: &str, is: &str| format!("spec.{field} is ignored when spec.type is {is}");
    assert_eq!(
        reply.warnings(),
        [ignored("externalName", "not \"ExternalName\"")]
    );
    let spec = json!({"type": "ExternalName", "externalName": "a.example.com", "externalIPs": ["192.0.2.1"]});
    let reply = services
        .create(&services.object("b", json!({"spec": spec})))
        .await;
    assert_eq!(
        reply.warnings(),
        [ignored("externalIPs", "\"ExternalName\"")]
    );
}
