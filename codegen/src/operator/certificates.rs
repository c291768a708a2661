//! The certificate of an operator's webhooks: who makes it, and what is written for that.

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

/// The component of kustomize that deploys the webhooks.
const COMPONENT: &str = "config/webhooks/kustomization.yaml";

/// Who makes the certificate of the webhooks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Certificates {
    /// cert-manager, which has to be in the cluster.
    #[default]
    CertManager,
    /// The program, with the runtime's feature `self-signed`.
    SelfSigned,
}

impl Certificates {
    /// The file that tells which it is.
    pub const DEPLOYED_BY: &str = COMPONENT;

    /// Who makes it, as the text of [`Self::DEPLOYED_BY`] has it.
    #[must_use]
    pub fn of_component(text: &str) -> Self {
        match text.contains("--webhook-self-signed") {
            true => Self::SelfSigned,
            false => Self::CertManager,
        }
    }

    /// The templates, by the paths of their files.
    pub(super) const fn files(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::CertManager => &CERT_MANAGER,
            Self::SelfSigned => &SELF_SIGNED,
        }
    }

    /// The runtime's features.
    pub(super) const fn features(self) -> &'static [&'static str] {
        match self {
            Self::CertManager => &["webhooks"],
            Self::SelfSigned => &["webhooks", "self-signed"],
        }
    }

    /// The module of its tests.
    pub(super) const fn test_module(self) -> Option<&'static str> {
        match self {
            Self::CertManager => None,
            Self::SelfSigned => Some("mod webhooks_certificate;"),
        }
    }

    /// The templates of the markers of what the program must be allowed: for all webhooks, and for the definition of a kind that is
    /// converted.
    pub(super) const fn roles(self) -> [&'static str; 2] {
        match self {
            Self::CertManager => ["", ""],
            Self::SelfSigned => [ROLES, DEFINITION_ROLE],
        }
    }
}
