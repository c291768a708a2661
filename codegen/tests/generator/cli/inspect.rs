//! `kube-codegen inspect`.

use super::crd::{crd_text, sandbox};

#[test]
fn inspect_lists_unions() {
    let mut sandbox = sandbox();
    sandbox.write(
        "route.yaml",
        &crd_text(
            "Route",
            "routes",
            "          spec:
            type: object
            oneOf: [{required: [host]}, {required: [address]}]
            x-kubernetes-validations:
            - rule: \"self.type == 'Port' ? has(self.port) : !has(self.port)\"
            - rule: \"!has(self.range) || self.type == 'Range'\"
            required: [type]
            properties:
              host: {type: string}
              address: {type: string}
              type: {type: string, enum: [Port, Range, Any]}
              port: {type: integer}
              range: {type: string}
",
        ),
    );
    sandbox.run(&["inspect", "route.yaml"]);
    sandbox.check("inspect-unions");
}

#[test]
fn inspect_explains_which_objects_are_types_of_kubernetes() {
    let mut sandbox = sandbox();
    sandbox.write(
        "pool.yaml",
        &crd_text(
            "Pool",
            "pools",
            "          spec:
            type: object
            properties:
              selector:
                type: object
                properties:
                  matchLabels: {type: object, additionalProperties: {type: string}}
              probe:
                type: object
                required: [port]
                properties:
                  path: {type: string}
                  port: {type: integer, format: int32}
                  scheme: {type: string}
",
        ),
    );
    sandbox.run(&["inspect", "pool.yaml", "--explain", "Pool"]);
    sandbox.run(&[
        "inspect",
        "pool.yaml",
        "--explain",
        "Pool.spec.selector.matchLabels",
    ]);
    sandbox.run(&[
        "inspect",
        "pool.yaml",
        "crds",
        "--explain",
        "Pool.spec.probes",
    ]);
    sandbox.check("inspect-explain");
}
