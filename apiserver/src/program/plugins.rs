//! The admission plugins that flags turn on and off.

use super::flags::{Given, warn};

/// A plugin that the server has, or whose work it always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    /// Always on.
    Always,
    /// Off unless it is turned on.
    Option,
}

/// The plugin that can be turned on.
const OWNERS: &str = "OwnerReferencesPermissionEnforcement";

/// The plugins of kube-apiserver that there are. All others are off.
const PLUGINS: &[(&str, Support)] = &[
    ("MutatingAdmissionWebhook", Support::Always),
    ("NamespaceLifecycle", Support::Always),
    (OWNERS, Support::Option),
    ("ValidatingAdmissionPolicy", Support::Always),
    ("ValidatingAdmissionWebhook", Support::Always),
];

/// Whether owner references are checked. Warns of plugins that cannot be turned on or off.
pub(super) fn owners_are_checked(given: &Given) -> bool {
    let support = |name: &str| {
        let found = PLUGINS.iter().find(|(own, _)| *own == name);
        found.map(|(_, support)| *support)
    };
    let enabled = given.list("enable-admission-plugins");
    let disabled = given.list("disable-admission-plugins");
    for name in &enabled {
        if support(name).is_none() {
            warn(&format!(
                "--enable-admission-plugins: there is no plugin {name} here, so it stays off"
            ));
        }
    }
    for name in &disabled {
        if support(name) == Some(Support::Always) {
            warn(&format!(
                "--disable-admission-plugins: {name} cannot be turned off here"
            ));
        }
    }
    enabled.contains(&OWNERS) && !disabled.contains(&OWNERS)
}
