//! Plurals of kinds: the rules of client-gen's namer, of controller-gen and of kube-derive, so that
//! a kind has the same plural here as under each of them.

mod controller_gen;
mod words;

pub use controller_gen::controller_gen_plural;

/// Kinds with an irregular plural; client-gen's own list.
const EXCEPTIONS: [(&str, &str); 1] = [("Endpoints", "Endpoints")];

/// The plural of a kind, in its case: `VirtualMachines`, `NetworkPolicies`, `Ingresses`,
/// `Gateways`.
///
/// The source of the rule is `pluralNamer` of `k8s.io/gengo/v2/namer`, with client-gen's default
/// exceptions.
#[must_use]
pub fn plural(kind: &str) -> String {
    if let Some((_, plural)) = EXCEPTIONS.iter().find(|(singular, _)| *singular == kind) {
        return (*plural).to_owned();
    }
    let mut last = kind.chars().rev();
    let (Some(last), Some(before)) = (last.next(), last.next()) else {
        return kind.to_owned();
    };
    let stem = |drop: usize| &kind[..kind.len() - drop];
    match (before, last) {
        (_, 's' | 'x' | 'z') | ('c' | 's', 'h') => format!("{kind}es"),
        (before, 'y') if is_consonant(before) => format!("{}ies", stem(1)),
        ('f', 'e') => format!("{}ves", stem(2)),
        (_, 'f') => format!("{}ves", stem(1)),
        _ => format!("{kind}s"),
    }
}

/// The plural as in URLs and in a CRD's names: lower case.
#[must_use]
pub fn resource_plural(kind: &str) -> String {
    plural(kind).to_lowercase()
}

/// kube-derive's plural of a singular in lower case; it differs from Go's in words on `f` and `fe`
/// (`leafs`).
#[must_use]
pub fn kube_derive_plural(word: &str) -> String {
    if ["s", "x", "z", "ch", "sh"]
        .iter()
        .any(|end| word.ends_with(end))
    {
        return format!("{word}es");
    }
    let before = word.chars().rev().nth(1);
    match word.strip_suffix('y') {
        Some(stem) if before.is_some_and(|c| !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')) => {
            format!("{stem}ies")
        }
        _ => format!("{word}s"),
    }
}

fn is_consonant(c: char) -> bool {
    c.is_ascii_lowercase() && !matches!(c, 'a' | 'e' | 'i' | 'o' | 'u')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, expected: &str) {
        assert_eq!(plural(kind), expected, "plural of {kind}");
    }

    #[test]
    fn plurals_follow_gengo() {
        check("VirtualMachine", "VirtualMachines");
        check("NetworkPolicy", "NetworkPolicies");
        check("Gateway", "Gateways");
        check("Ingress", "Ingresses");
        check("Index", "Indexes");
        check("Topaz", "Topazes");
        check("Batch", "Batches");
        check("Mesh", "Meshes");
        check("Path", "Paths");
        check("Leaf", "Leaves");
        check("Knife", "Knives");
        check("Lease", "Leases");
        check("HTTPRoute", "HTTPRoutes");
        check("Foo", "Foos");
    }

    #[test]
    fn kube_derive_has_a_rule_of_its_own() {
        assert_eq!(kube_derive_plural("leaf"), "leafs");
        assert_eq!(kube_derive_plural("policy"), "policies");
        assert_eq!(kube_derive_plural("gateway"), "gateways");
        assert_eq!(kube_derive_plural("mesh"), "meshes");
        assert_eq!(kube_derive_plural("y"), "ys");
    }

    #[test]
    fn client_gens_exceptions_hold() {
        check("Endpoints", "Endpoints");
        check("EndpointSlice", "EndpointSlices");
    }

    #[test]
    fn short_and_foreign_names_do_not_panic() {
        check("", "");
        check("X", "X");
        check("é", "é");
        check("caf\u{e9}y", "caf\u{e9}ys");
        assert_eq!(resource_plural("NetworkPolicy"), "networkpolicies");
    }
}
