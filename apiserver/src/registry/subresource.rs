//! Subresources besides `status` and `scale`.

/// A subresource that only some built-in kinds have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    Approval,
    Binding,
    EphemeralContainers,
    Eviction,
    Finalize,
    Token,
}

/// A subresource as discovery shows it.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    /// Group, version and kind of its objects; empty for those of the resource itself.
    pub(crate) kind: (&'static str, &'static str, &'static str),
    pub(crate) verbs: &'static [&'static str],
}

impl Subresource {
    pub(crate) fn describe(self) -> Description {
        let (name, kind, verbs): (_, _, &[_]) = match self {
            Self::Approval => ("approval", ("", "", ""), &["get", "patch", "update"]),
            Self::Token => (
                "token",
                ("authentication.k8s.io", "v1", "TokenRequest"),
                &["create"],
            ),
            Self::Binding => ("binding", ("", "", "Binding"), &["create"]),
            Self::EphemeralContainers => (
                "ephemeralcontainers",
                ("", "", ""),
                &["get", "patch", "update"],
            ),
            Self::Eviction => ("eviction", ("policy", "v1", "Eviction"), &["create"]),
            Self::Finalize => ("finalize", ("", "", ""), &["update"]),
        };
        Description { name, kind, verbs }
    }
}
