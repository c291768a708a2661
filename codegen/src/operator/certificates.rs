//! The certificate of an operator's webhooks: its issuer, and the files for it.

const CERT_MANAGER: [(&str, &str); 2] = [
    (
        "config/webhooks/certificate.yaml",
        include_str!("../../../templates/operator/webhook/cert-manager/certificate.yaml"),
    ),
    (
        COMPONENT,
        include_str!("../../../templates/operator/webhook/cert-manager/kustomization.yaml"),
    ),
];

const SELF_SIGNED: [(&str, &str); 2] = [
    (
        COMPONENT,
        include_str!("../../../templates/operator/webhook/self-signed/kustomization.yaml"),
    ),
    (
        "tests/operator/webhooks_certificate.rs",
        include_str!("../../../templates/operator/webhook/self-signed/test.rs"),
    ),
];

const ROLES: &str = include_str!("../../../templates/operator/webhook/self-signed/roles.rs");
const DEFINITION_ROLE: &str =
    include_str!("../../../templates/operator/webhook/self-signed/definition_role.rs");

/// The kustomize component that deploys the webhooks.
const COMPONENT: &str = "config/webhooks/kustomization.yaml";

/// The issuer of the webhooks' certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificates {
    /// cert-manager, which must be installed in the cluster.
    #[default]
    CertManager,
    /// The operator itself, with the runtime's feature `self-signed`.
    SelfSigned,
}

impl Certificates {
    /// The file that determines the issuer.
    pub const DEPLOYED_BY: &str = COMPONENT;

    /// The issuer according to the contents of [`Self::DEPLOYED_BY`].
    #[must_use]
    pub fn of_component(text: &str) -> Self {
        match text.contains("--webhook-self-signed") {
            true => Self::SelfSigned,
            false => Self::CertManager,
        }
    }

    /// The templates, by file path.
    pub(super) const fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::CertManager => &CERT_MANAGER,
            Self::SelfSigned => &SELF_SIGNED,
        }
    }

    /// The required features of the runtime.
    pub(super) const fn features(self) -> &'static [&'static str] {
        match self {
            Self::CertManager => &["webhooks"],
            Self::SelfSigned => &["webhooks", "self-signed"],
        }
    }

    /// The module of its tests, if any.
    pub(super) const fn test_module(self) -> Option<&'static str> {
        match self {
            Self::CertManager => None,
            Self::SelfSigned => Some("mod webhooks_certificate;"),
        }
    }

    /// The templates of RBAC markers for the program's permissions: for all webhooks, and for the CRD of a kind with conversion.
    pub(super) const fn roles(self) -> [&'static str; 2] {
        match self {
            Self::CertManager => ["", ""],
            Self::SelfSigned => [ROLES, DEFINITION_ROLE],
        }
    }
}
