//! Subresources: the parts of an object that have an endpoint of their own.

/// A subresource; all but `status` and `scale` belong to some built-in kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    Approval,
    Binding,
    EphemeralContainers,
    Eviction,
    Finalize,
    Scale,
    Status,
    Token,
}

/// A subresource as discovery shows it.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    /// Group, version and kind of its objects; empty for those of the resource itself.
    pub(crate) kind: (&'static str, &'static str, &'static str),
    pub(crate) verbs: &'static [&'static str],
}

const OWN: (&str, &str, &str) = ("", "", "");

/// The verbs of a subresource that shows a part of the object.
const PART: &[&str] = &["get", "patch", "update"];

impl Subresource {
    pub(crate) fn describe(self) -> Description {
        let (name, kind, verbs): (_, _, &[_]) = match self {
            Self::Approval => ("approval", OWN, PART),
            Self::Binding => ("binding", ("", "", "Binding"), &["create"]),
            Self::EphemeralContainers => ("ephemeralcontainers", OWN, PART),
            Self::Eviction => ("eviction", ("policy", "v1", "Eviction"), &["create"]),
            Self::Finalize => ("finalize", OWN, &["update"]),
            Self::Scale => ("scale", ("autoscaling", "v1", "Scale"), PART),
            Self::Status => ("status", OWN, PART),
            Self::Token => {
                let kind = ("authentication.k8s.io", "v1", "TokenRequest");
                ("token", kind, &["create"])
            }
        };
        Description { name, kind, verbs }
    }

    pub(crate) fn name(self) -> &'static str {
        self.describe().name
    }
}

/// Returns the name of an endpoint in paths, rules and reviews: empty for the object itself.
pub(crate) fn name_of(subresource: Option<Subresource>) -> &'static str {
    subresource.map_or("", Subresource::name)
}
