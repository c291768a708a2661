//! `kube-codegen explain`.

use super::{
    crd::{crd_text, sandbox},
    sandbox::Sandbox,
};

#[test]
fn explain_shows_kinds_and_fields_like_kubectl() {
    let mut sandbox = sandbox();
    sandbox.write(
        "pool.yaml",
        &crd_text(
            "Pool",
            "pools",
            "          spec:
            type: object
            required: [size]
            x-kubernetes-validations:
            - {rule: \"self.size < 10 || has(self.owner)\", message: needs an owner}
            properties:
              size: {type: integer, minimum: 1, description: How many members the pool has.}
              owner: {type: string, enum: [a, b]}
              members:
                type: array
                items:
                  type: object
                  properties:
                    address: {type: string, format: ipv4}
",
        ),
    );
    sandbox.run(&["explain", "pools.spec", "pool.yaml"]);
    sandbox.run(&["explain", "Pool.spec.members.address", "pool.yaml"]);
    sandbox.run(&["explain", "pool", "pool.yaml", "--recursive"]);
    sandbox.run(&["explain", "pool.spec.sizes", "pool.yaml"]);
    sandbox.run(&["explain", "pods.spec", "pool.yaml"]);
    sandbox.run(&["explain", "pool", "pool.yaml", "--api-version", "v9"]);
    sandbox.check("explain");
}

#[test]
fn a_reference_in_html_is_written_replaced_and_removed() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "crds/pool.yaml",
        &crd_text("Pool", "pools", "          spec: {type: object}\n"),
    );
    sandbox.configure(
        "[[crate]]\nemit = []\n[crate.crd]\nfiles = [\"crds\"]\n\
         [crate.manifests]\ncrds = \"\"\ndocs = \"site\"\ndocs-format = \"html\"\n",
    );
    sandbox.succeeds(&["generate"]);
    let page = sandbox.read("site/example.com.html");
    sandbox.write("site/gone.example.com.html", &page);
    sandbox.write("site/own.html", "<p>Mine.</p>\n");
    sandbox.succeeds(&["generate"]);
    assert!(!sandbox.path("site/gone.example.com.html").exists());
    assert!(sandbox.path("site/own.html").exists());
    sandbox.write("site/example.com.html", "<p>Mine.</p>\n");
    let refused = sandbox.quiet(&["generate"]);
    assert!(
        refused.stderr.contains("site/example.com.html"),
        "{}",
        refused.stderr
    );
    assert_eq!(sandbox.read("site/example.com.html"), "<p>Mine.</p>\n");
}
