//! What the API server refuses in a finished CRD, in its words, with the marker that says it and advice.
//!
//! Other checks report most of it first, in the words of the types.

use kube_schema::{
    FieldError,
    definition::{self, APPROVAL},
};
use serde_json::Value;

use super::{
    about::About,
    check::{SCALE, SELECTABLE},
};
use crate::{
    diag::Diagnostic,
    model::names::upper_camel,
    read::markers::{
        MarkerType as _,
        field::{ListMapKey, ListTypeMarker},
        rules::XIntOrString,
    },
};

/// How many characters of a refused value are shown.
const MOST_SHOWN: usize = 200;

/// Which errors a marker explains, and what to write instead.
struct Advice {
    /// A part of the path in the CRD.
    path: &'static str,
    /// A part of the error; empty for any.
    detail: &'static str,
    /// The suffix of the marker's name.
    marker: &'static str,
    help: &'static str,
}

/// The first that applies counts.
const ADVICE: [Advice; 9] = [
    Advice {
        path: APPROVAL,
        detail: "",
        marker: "metadata",
        help: "use a group of your own, or mark the kind \
               `+kubebuilder:metadata:annotations=\"api-approved.kubernetes.io=unapproved, experimental-only\"`",
    },
    Advice {
        path: "spec.group",
        detail: "",
        marker: "groupName",
        help: "name a domain of yours: `+groupName=batch.example.com`",
    },
    Advice {
        path: "spec.names",
        detail: "",
        marker: "resource",
        help: "write names of at most 63 lower-case letters, digits and `-` in `+kubebuilder:resource`",
    },
    Advice {
        path: ".subresources.scale",
        detail: "",
        marker: SCALE,
        help: "write paths such as `specpath=.spec.replicas`, `statuspath=.status.replicas` and `selectorpath=.status.selector`",
    },
    Advice {
        path: ".additionalPrinterColumns",
        detail: "",
        marker: "printcolumn",
        help: "write a column such as `name=Replicas,type=integer,JSONPath=.spec.replicas`",
    },
    Advice {
        path: ".selectableFields",
        detail: "validations.schema",
        marker: SELECTABLE,
        help: "versions with the same selectable fields and different schemas are refused: remove a selectable field from one \
               version, or add one there",
    },
    Advice {
        path: ".selectableFields",
        detail: "",
        marker: SELECTABLE,
        help: "name a field of type string, integer or boolean, such as `JSONPath=.spec.color`",
    },
    Advice {
        path: ".deprecationWarning",
        detail: "",
        marker: "deprecatedversion",
        help: "write a warning of one line and at most 256 characters",
    },
    Advice {
        path: "spec.conversion",
        detail: "",
        marker: "conversion:webhook",
        help: "name `reviewVersions` that include v1",
    },
];

/// The markers of Kubernetes' own keywords.
const EXTENSIONS: [(&str, &str); 3] = [
    ("x-kubernetes-int-or-string", XIntOrString::DEF.name),
    ("x-kubernetes-list-map-keys", ListMapKey::DEF.name),
    ("x-kubernetes-list-type", ListTypeMarker::DEF.name),
];

/// An error of the API server.
pub(super) struct Refusal {
    error: FieldError,
    /// The place in `apiextensions.k8s.io/v1`.
    path: String,
    /// The properties that lead to the part of the schema.
    properties: Vec<String>,
    /// The end of the name of the keyword's marker.
    marker: String,
}

/// Returns the API server's errors for a CRD, apart from those of rules.
pub(super) fn refusals(crd: &Value) -> Vec<Refusal> {
    let mut crd = crd.clone();
    definition::set_defaults(&mut crd);
    let errors = definition::check_without_rules(&crd, kube_schema::keep_metadata);
    let refusal = |error: FieldError| Refusal {
        path: definition::v1_path(&error.field),
        marker: marker(&error.field),
        properties: properties(&error.field),
        error,
    };
    errors.into_iter().map(refusal).collect()
}

impl Refusal {
    /// The index of the version that the error is about, if it is about one.
    pub(super) fn version(&self) -> Option<usize> {
        let rest = self.path.strip_prefix("spec.versions[")?;
        rest.split_once(']')?.0.parse().ok()
    }

    fn is_about_schema(&self) -> bool {
        self.path.contains(".openAPIV3Schema")
    }

    fn advice(&self) -> Option<&'static Advice> {
        let applies = |advice: &&Advice| {
            self.path.contains(advice.path) && self.error.detail.contains(advice.detail)
        };
        ADVICE
            .iter()
            .filter(|_| !self.is_about_schema())
            .find(applies)
    }

    /// The subject: the marker that says what is refused.
    pub(super) fn about(&self) -> About<'_> {
        if let Some(advice) = self.advice() {
            return About::marker(&self.properties, advice.marker, "");
        }
        About::marker(&self.properties, &self.marker, "")
    }

    /// The finding.
    pub(super) fn diagnostic(&self) -> Diagnostic {
        let what = if self.is_about_schema() {
            "schema"
        } else {
            "CRD"
        };
        let message = format!(
            "the API server refuses the {what}: {}",
            self.error.brief(MOST_SHOWN)
        );
        let error = Diagnostic::error(message).note(format!("at {}", self.path));
        match self.advice() {
            Some(advice) => error.help(advice.help),
            None => error,
        }
    }
}

/// The end of the name of the marker that writes the keyword at the end of a path.
fn marker(field: &str) -> String {
    let keyword = field.rsplit('.').next().unwrap_or_default();
    let mut extensions = EXTENSIONS.iter();
    match extensions.find(|(name, _)| *name == keyword) {
        Some((_, marker)) => (*marker).to_owned(),
        // That of any other keyword has the keyword's name in upper camel case.
        None => upper_camel(keyword),
    }
}

/// The property names in a path such as `.properties[spec].properties[count].maximum`.
fn properties(field: &str) -> Vec<String> {
    let names = field.split(".properties[").skip(1);
    names
        .filter_map(|name| Some(name.split_once(']')?.0.to_owned()))
        .collect()
}
