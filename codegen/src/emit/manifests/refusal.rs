//! What the API server refuses in a finished CRD, in its words, with the marker that says it and advice.
//!
//! Other checks report most of it first, in the words of the types.

use kube_schema::{
    FieldError,
    definition::{self, APPROVAL},
};
use serde_json::Value;

use super::{
    about::{About, RULE, path_of, properties},
    check::{SCALE, SELECTABLE},
    schema::Schema,
};
use crate::{
    diag::Diagnostic,
    model::names::upper_camel,
    read::markers::{
        MarkerType as _,
        field::{ListMapKey, ListTypeMarker},
        rules::XIntOrString,
    },
    suggest::closest,
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
const ADVICE: [Advice; 14] = [
    Advice {
        path: "x-kubernetes-validations[",
        detail: "rule is not specified",
        marker: RULE,
        help: "write an expression that must be true, such as `self.min <= self.max`",
    },
    Advice {
        path: "].message",
        detail: "message must be specified",
        marker: RULE,
        help: "write a `message` in the marker",
    },
    Advice {
        path: "].message",
        detail: "",
        marker: RULE,
        help: "write it in one line",
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
    /// The expression of the rule that is refused; empty if it is not a rule.
    rule: String,
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
        About::marker(&self.properties, &self.marker, "")
    }

    /// The finding.
    pub(super) fn diagnostic(&self, schema: &Schema) -> Diagnostic {
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
        match (self.meant(schema), self.advice()) {
            (Some(near), _) => error.help(format!("did you mean `.{near}`?")),
            (None, Some(advice)) => error.help(advice.help),
            (None, None) => error,
        }
    }

    /// The field that the `fieldPath` of a rule probably means.
    fn meant<'s>(&self, root: &'s Schema) -> Option<&'s str> {
        let given = self
            .error
            .value
            .as_ref()
            .filter(|_| self.path.ends_with("].fieldPath"))?;
        let first = path_of(given.as_str()?).into_iter().next()?;
        let mut names = self.properties.iter();
        let schema = names.try_fold(root, |schema, name| {
            let below = schema.items.as_deref().or(schema.additional.as_deref());
            below.unwrap_or(schema).properties.get(name).map(|it| &**it)
        })?;
        closest(&first, schema.properties.keys().map(String::as_str))
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
