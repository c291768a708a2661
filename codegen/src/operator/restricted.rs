//! Operators that are restricted to namespaces, with Roles in these and without a ClusterRole: what
//! differs in the files of `init`.

use super::{Operator, WIDTH};

/// The flags of metrics over HTTPS, which needs a ClusterRole: those who read them are checked.
const SECURE: &str =
    "            # Over HTTPS, for whom the ClusterRole in metrics.yaml is bound to.
            - --metrics-bind-address=:8443
            - --metrics-secure
";

/// The flags of metrics without a ClusterRole.
const LOCAL: &str =
    "            # Within the pod. Over HTTPS they need a ClusterRole, to check who reads them.
            - --metrics-bind-address=127.0.0.1:8080
";

/// The Service of the metrics, and what reads them through it.
const OF_METRICS: [&str; 3] = [
    "config/metrics.yaml",
    "config/monitor/kustomization.yaml",
    "config/monitor/service-monitor.yaml",
];

/// Whether the operator does without a file of others: the generator writes its bindings beside its
/// roles.
pub(super) fn leaves_out(operator: &Operator, path: &str) -> bool {
    let is_left_out = path == "config/role-binding.yaml" || OF_METRICS.contains(&path);
    is_left_out && !operator.namespaces.is_empty()
}

/// The values of the templates of `init`.
pub(super) fn values(operator: &Operator) -> [(&'static str, String); 8] {
    let all = operator.namespaces.join(",");
    let is_restricted = !all.is_empty();
    let either = |others: &str, restricted: &str| match is_restricted {
        true => restricted.to_owned(),
        false => others.to_owned(),
    };
    let name = &operator.name;
    [
        ("watched", either("", &constant(&all))),
        (
            "watched_demo",
            either("", "    let demo = demo.args([NAMESPACES]);\n"),
        ),
        (
            "watched_test",
            either(
                "",
                "    let namespaces = invocation.flags.namespaces.join(\",\");\n    \
                 assert_eq!(format!(\"--namespaces={namespaces}\"), app::NAMESPACES);\n",
            ),
        ),
        (
            "role_namespaces",
            either(
                "",
                &format!(
                    "# Its bindings are written beside the roles, of which each namespace has one.\n\
                     role-account = \"{name}-system/{name}\"\nrole-namespaces = {:?}\n",
                    operator.namespaces
                ),
            ),
        ),
        (
            "metrics_flags",
            either(
                SECURE,
                &format!("            - --namespaces={all}\n{LOCAL}"),
            ),
        ),
        (
            "metrics_port",
            either(
                "            - name: metrics\n              containerPort: 8443\n",
                "",
            ),
        ),
        ("role_binding", either("  - role-binding.yaml\n", "")),
        ("metrics", either("  - metrics.yaml\n", "")),
    ]
}

/// Why a restricted operator cannot have a controller of a kind of this scope.
#[must_use]
pub fn scope_fault(operator: &Operator, kind: &str, is_cluster_scoped: bool) -> Option<String> {
    let namespaces = &operator.namespaces;
    (is_cluster_scoped && !namespaces.is_empty()).then(|| {
        format!(
            "{kind} is cluster-scoped, and the roles of the operator are for the namespaces {}: a controller of {kind} belongs to an operator without `role-namespaces` in codegen.toml",
            namespaces.join(", ")
        )
    })
}

/// The argument of the function of tests that starts the operator.
pub(super) fn flag(operator: &Operator) -> (&'static str, String) {
    let flag = match operator.namespaces.is_empty() {
        true => "",
        false => ", app::NAMESPACES",
    };
    ("watched_flag", flag.to_owned())
}

/// The declaration of the flag, formatted like rustfmt.
fn constant(all: &str) -> String {
    let (start, end) = (
        "pub const NAMESPACES: &str =",
        format!("\"--namespaces={all}\";"),
    );
    let break_ = match start.len() + 1 + end.len() <= WIDTH {
        true => " ",
        false => "\n    ",
    };
    format!(
        "\n/// The flag with the namespaces whose objects it reconciles.\n{start}{break_}{end}\n"
    )
}
