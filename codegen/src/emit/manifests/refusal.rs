//! What the API server refuses in a finished CRD, in its words, with the marker that says it and advice.
//!
//! Other checks report most of it first, in the words of the types.

use kube_schema::{
    FieldError,
    definition::{self, APPROVAL},
};
use serde_json::Value;

use super::{
    about::{About, RULE, properties},
    check::{SCALE, SELECTABLE},
};
use crate::diag::Diagnostic;

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
const ADVICE: [Advice; 13] = [
    Advice {
        path: "x-kubernetes-validations[",
        detail: "rule is not specified",
        marker: RULE,
        help: "write an expression that must be true, such as `self.min <= self.max`",
    },
    Advice {
        path: "x-kubernetes-validations[",
        detail: "message must",
        marker: RULE,
        help: "write a `message` in the marker",
    },
    Advice {
        path: "].fieldPath",
        detail: "",
        marker: RULE,
        help: "write the path of a field below the type, such as `.field`",
    },
    Advice {
        path: "x-kubernetes-validations[",
        detail: "",
        marker: RULE,
        help: "write the rule as the API server takes it",
    },
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

/// An error of the API server.
pub(super) struct Refusal {
    error: FieldError,
    /// The place in `apiextensions.k8s.io/v1`.
    path: String,
    /// The properties that lead to the part of the schema.
    properties: Vec<String>,
    /// The expression of the rule that is refused; empty if it is not a rule.
    rule: String,
}

/// Returns the API server's errors for a CRD, apart from those of rules.
pub(super) fn refusals(crd: &Value) -> Vec<Refusal> {
    let mut crd = crd.clone();
    definition::set_defaults(&mut crd);
    let errors = definition::check_without_rules(&crd, kube_schema::keep_metadata);
    let refusal = |error: FieldError| Refusal {
        path: definition::v1_path(&error.field),
        properties: properties(&error.field),
        rule: rule(&crd, &definition::v1_path(&error.field)),
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
        ADVICE.iter().find(applies)
    }

    /// The subject: the marker that says what is refused.
    pub(super) fn about(&self) -> About<'_> {
        if let Some(advice) = self.advice() {
            return About::marker(&self.properties, advice.marker, &self.rule);
        }
        // The marker of a keyword has the keyword's name in upper camel case.
        let keyword = self.path.rsplit('.').next().unwrap_or_default();
        About::marker(&self.properties, keyword.get(1..).unwrap_or_default(), "")
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

/// The expression of the rule that a path in a CRD leads to; empty if it leads elsewhere.
fn rule(crd: &Value, path: &str) -> String {
    let Some((list, below)) = path.split_once(".x-kubernetes-validations[") else {
        return String::new();
    };
    let index = below.split(']').next().unwrap_or_default();
    let steps = list.split(['.', '[', ']']).filter(|step| !step.is_empty());
    let pointer = steps.map(|step| format!("/{step}")).collect::<String>();
    let rule = crd.pointer(&format!("{pointer}/x-kubernetes-validations/{index}/rule"));
    rule.and_then(Value::as_str).unwrap_or_default().to_owned()
}
