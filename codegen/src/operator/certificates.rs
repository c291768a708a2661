//! The certificate of an operator's webhooks: its issuer, and the files for it.

use kube_codegen_templates::operator::webhook::{cert_manager, self_signed};
use serde::{Deserialize, Serialize};

const CERT_MANAGER: [(&str, &str); 5] = [
    (
        "config/webhooks/certificate.yaml",
        cert_manager::CERTIFICATE,
    ),
    (COMPONENT, cert_manager::KUSTOMIZATION),
    (NAMES, cert_manager::NAMES),
    (
        "config/webhooks/names/kustomization.yaml",
        cert_manager::FOLLOWING,
    ),
    (
        "config/webhooks/names/names.yaml",
        cert_manager::FOLLOWING_NAMES,
    ),
];

const SELF_SIGNED: [(&str, &str); 3] = [
    (COMPONENT, self_signed::KUSTOMIZATION),
    (NAMES, self_signed::NAMES),
    ("tests/operator/webhooks_certificate.rs", self_signed::TEST),
];

/// The kustomize component that deploys the webhooks.
const COMPONENT: &str = "config/webhooks/kustomization.yaml";

/// What tells kustomize where objects name each other.
const NAMES: &str = "config/webhooks/names.yaml";

/// The issuer of the webhooks' certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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

    /// The templates of RBAC markers for the program's permissions: for all webhooks, and for the
    /// CRD of a kind with conversion.
    pub(super) const fn roles(self) -> [&'static str; 2] {
        match self {
            Self::CertManager => ["", ""],
            Self::SelfSigned => [self_signed::ROLES, self_signed::DEFINITION_ROLE],
        }
    }
}
