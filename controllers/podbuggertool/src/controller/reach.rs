//! The namespaces whose pods tools may reach.

use clap::Args;

/// Pods of the control plane, for which a tool is no debugging aid but a way in.
const EXCLUDED: &str = "kube-system";

/// Which namespaces tools may reach, whatever their selectors say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[group(skip)]
pub struct Reach {
    /// The namespaces whose pods may get tools, separated by commas; all but kube-system unless
    /// set.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub target_namespaces: Vec<String>,
}

impl Reach {
    /// Whether pods of the namespace may get tools.
    #[must_use]
    pub fn includes(&self, namespace: &str) -> bool {
        match self.target_namespaces.as_slice() {
            [] => namespace != EXCLUDED,
            names => names.iter().any(|name| name == namespace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_plane_is_out_of_reach_unless_it_is_named() {
        let check = |names: &[&str], namespace: &str, expected: bool| {
            let target_namespaces = names.iter().map(|&name| name.to_owned()).collect();
            let reach = Reach { target_namespaces };
            assert_eq!(
                reach.includes(namespace),
                expected,
                "{names:?}: {namespace}"
            );
        };
        check(&[], "default", true);
        check(&[], "kube-system", false);
        check(&["kube-system"], "kube-system", true);
        check(&["kube-system"], "default", false);
        check(&["a", "b"], "b", true);
    }
}
