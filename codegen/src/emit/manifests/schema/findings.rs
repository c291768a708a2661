//! Findings about types with invalid or unknown schemas.

use super::{
    Schema,
    shape::{At, Shapes},
};
use crate::{
    diag::Diagnostic,
    model::{DerivedSchema, TypeDef},
    options::Compat,
};

impl Shapes<'_> {
    /// Reports the parts of a derived schema that are unknown.
    pub(super) fn findings(&mut self, derived: Option<&DerivedSchema>) {
        for finding in derived.into_iter().flat_map(|derived| &derived.findings) {
            if !self.diagnostics.as_slice().contains(finding) {
                self.diagnostics.push(finding.clone());
            }
        }
    }

    pub(super) fn float(&mut self, at: At<'_>) -> Schema {
        if !self.manifests.floats {
            let message = format!("`{}` is a floating-point number", at.what);
            self.report(
                at,
                Diagnostic::error(message)
                    .help("use an integer in a smaller unit, a Quantity or a String: floats differ between languages")
                    .help("or permit them: `floats = true` in [crate.manifests], `--floats` on the command line"),
            );
        }
        Schema::of_type("number")
    }

    pub(super) fn recursive(&mut self, def: &TypeDef, what: &str) -> Schema {
        if self.compat == Compat::Strict {
            let at = At::of(def);
            let message = format!("`{}` {what}", def.name);
            self.report(
                at,
                Diagnostic::error(message)
                    .help("the schema of a CRD is finite: mark the field that closes the circle `+kubebuilder:validation:Schemaless` \
                           and `+kubebuilder:pruning:PreserveUnknownFields`"),
            );
        }
        Schema::default()
    }

    pub(super) fn unknown(&mut self, name: &str, missing: Option<&str>, at: At<'_>) -> Schema {
        let help = match name {
            "std::time::Duration" | "core::time::Duration" => {
                "serde writes it as an object; use Kubernetes' Duration, or a number of seconds"
            }
            _ if missing.is_some() => {
                "copy the type, name one with the same form in `#[schemars(with = \"…\")]`, or say what is on the wire: \
                 `+kubebuilder:validation:Schemaless` with `+kubebuilder:validation:Type=…` or \
                 `+kubebuilder:pruning:PreserveUnknownFields`"
            }
            _ => {
                "use a type of the API, or say what is on the wire: `+kubebuilder:validation:Schemaless` with \
                 `+kubebuilder:validation:Type=…` or `+kubebuilder:pruning:PreserveUnknownFields`"
            }
        };
        let mut error = Diagnostic::error(format!(
            "`{}` has no schema: its type `{name}` is not known",
            at.what
        ));
        if let Some(missing) = missing {
            error = error.help(missing);
        }
        self.report(at, error.help(help));
        Schema::default()
    }

    pub(super) fn report(&mut self, at: At<'_>, mut diagnostic: Diagnostic) {
        if let Some(place) = at.place {
            diagnostic = diagnostic.at(place.clone(), "");
        }
        let known = self.diagnostics.as_slice();
        if !known.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether the schema is produced by custom code, so that only markers describe it.
    pub(super) fn is_made_by_hand(def: &TypeDef) -> bool {
        let rules = &def.validation;
        let is_declared =
            rules.type_.is_some() || rules.preserve_unknown_fields || rules.int_or_string;
        def.item.as_ref().is_some_and(|item| {
            let by_hand = item.impls.iter().any(|name| name == "JsonSchema")
                || item.derives.iter().any(|name| name == "Serialize_repr");
            rules.schemaless || (by_hand && is_declared)
        })
    }
}
