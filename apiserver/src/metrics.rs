//! `/metrics`: what a scraper of kube-apiserver finds here.

use crate::core::Core;
use crate::registry::Persistence;

/// Returns the metrics in Prometheus' text format.
pub(crate) fn text(core: &Core) -> String {
    let help = |name: &str, about: &str| format!("# HELP {name} {about}\n# TYPE {name} gauge\n");
    let mut out = help(
        "kubernetes_build_info",
        "[ALPHA] A metric with a constant '1' value labeled by the Kubernetes version.",
    );
    let version = crate::VERSION;
    let minor = version.split('.').nth(1).unwrap_or_default();
    out.push_str(&format!(
        "kubernetes_build_info{{git_version=\"{version}\",major=\"1\",minor=\"{minor}\"}} 1\n"
    ));
    out.push_str(&help(
        "apiserver_resource_objects",
        "[ALPHA] Number of stored objects at the time of last check split by kind.",
    ));
    for resource in core.registry.all() {
        if resource.persistence != Persistence::Stored {
            continue;
        }
        let count = core.store.count(resource.id, "");
        out.push_str(&format!(
            "apiserver_resource_objects{{group=\"{}\",resource=\"{}\"}} {count}\n",
            resource.group, resource.plural
        ));
    }
    out
}
