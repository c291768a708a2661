//! Findings about types with invalid or unknown schemas.

use super::{
    PRESERVE, RUST_TIMES, Schema,
    integers::whole_number,
    shape::{At, Lookup, Shapes},
};
use crate::{
    builtin,
    diag::{Diagnostic, Severity},
    model::{DerivedSchema, StructDef, TypeDef, TypeKind, TypeRef, Validation},
    options::Compat,
    read::markers::{ASK_COMPILER, DECLARE_TYPE},
};

const TIME_HELP: &str =
    "serde writes it as an object; use Kubernetes' Duration or Time, or a number of seconds";

impl Shapes<'_> {
    /// Reports the parts of a derived schema that are unknown.
    pub(super) fn findings(&mut self, derived: Option<&DerivedSchema>) {
        for finding in derived.into_iter().flat_map(|derived| &derived.findings) {
            let finding = match finding.severity {
                Severity::Error => finding.clone().help(ASK_COMPILER),
                _ if self.manifests.only_complete && asks_compiler(finding) => Diagnostic {
                    severity: Severity::Error,
                    ..finding.clone()
                },
                _ => finding.clone(),
            };
            if !self.diagnostics.as_slice().contains(&finding) {
                self.diagnostics.push(finding);
            }
        }
    }

    pub(super) fn float(&mut self, at: At<'_>) -> Schema {
        if !self.manifests.floats {
            let message = format!("`{}` is a floating-point number", at.what);
            let finding = match self.is_kube {
                // kube's own CRD has it, too.
                true => Diagnostic::warning(message),
                false => Diagnostic::error(message),
            };
            self.report(
                at,
                finding
                    .help("use an integer in a smaller unit, a Quantity or a String: floats differ between languages")
                    .help("or permit them: `floats = true` in [crate.manifests], `--floats` on the command line"),
            );
        }
        Schema::of_type("number")
    }

    /// serde's form of a duration, as kube's own CRD has it.
    pub(super) fn rust_time(&mut self, name: &str, fields: [&str; 2], at: At<'_>) -> Schema {
        let message = format!("`{}` is a `{name}`", at.what);
        self.report(at, Diagnostic::warning(message).help(TIME_HELP));
        let mut schema = Schema::of_type("object");
        for (name, ty) in fields.into_iter().zip(["u64", "u32"]) {
            let part = whole_number(ty, false).into();
            schema.properties.insert(name.to_owned(), part);
            schema.required.insert(name.to_owned());
        }
        schema
    }

    pub(super) fn recursive(&mut self, def: &TypeDef, what: &str) -> Schema {
        self.report_recursion(def, what);
        Schema::default()
    }

    /// The schema of a type within itself: an object of any fields if the type or its use keeps unknown fields. controller-gen writes an
    /// empty schema.
    pub(super) fn contained(&mut self, def: &TypeDef, keeps_fields: bool) -> Schema {
        let is_strict = self.compat == Compat::Strict;
        if !(keeps_fields || is_strict && def.validation.preserve_unknown_fields) {
            return self.recursive(def, "contains itself");
        }
        match &def.kind {
            TypeKind::Struct(_) if is_strict => Schema::of_type("object").with(PRESERVE, true),
            _ => Schema::default(),
        }
    }

    pub(super) fn report_recursion(&mut self, def: &TypeDef, what: &str) {
        let message = format!("`{}` {what}", def.name);
        let finding = match self.compat {
            Compat::Strict => Diagnostic::error(message),
            Compat::ControllerGen => Diagnostic::warning(message)
                .note("controller-gen's schema lacks what closes the circle, and the API server may refuse it"),
        };
        let help = "the schema of a CRD is finite: mark the field that closes the circle `+kubebuilder:validation:Schemaless` \
                    and `+kubebuilder:pruning:PreserveUnknownFields`";
        self.report(At::of(def), finding.help(help));
    }

    /// Whether serde's derive writes a struct without names of fields.
    pub(super) fn is_unnamed(def: &TypeDef, body: &StructDef) -> bool {
        let item = def.item.as_ref();
        // A whole type may go through another type.
        body.tuple
            && !def.whole
            && item.is_some_and(|item| item.derives.iter().any(|name| name == "Serialize"))
    }

    /// Reports a tuple struct of no or several fields, which serde writes as null or as a list.
    pub(super) fn unnamed(&mut self, def: &TypeDef, body: &StructDef) -> Schema {
        let name = &def.name;
        let (message, help) = match body.fields.len() {
            0 => (
                format!("`{name}` is not an object: serde writes null for it, or an empty list"),
                format!("write `struct {name} {{}}`"),
            ),
            _ => (
                format!("`{name}` has several values without names"),
                "serde writes a list: name the fields, or use an array (`[T; N]`) for values of one type".to_owned(),
            ),
        };
        self.report(At::of(def), Diagnostic::error(message).help(help));
        Schema::default().with(PRESERVE, true)
    }

    pub(super) fn unknown(&mut self, name: &str, missing: Option<&str>, at: At<'_>) -> Schema {
        let help = match name {
            name if RUST_TIMES.iter().any(|(time, _)| *time == name) => TIME_HELP,
            _ if missing.is_some() => {
                "copy the type, or name one with the same form in `#[schemars(with = \"…\")]`"
            }
            _ => "use a type of the API",
        };
        let mut error = Diagnostic::error(format!(
            "`{}` has no schema: its type `{name}` is not known",
            at.what
        ));
        if let Some(missing) = missing {
            error = error.help(missing);
        }
        error = error.help(help).help(DECLARE_TYPE);
        // Of Go, the source of every type is known.
        if at.place.is_some_and(|place| place.file.ends_with(".rs")) {
            error = error.help(ASK_COMPILER);
        }
        self.report(at, error);
        Schema::default()
    }

    /// Whether markers declare the JSON form of a value whose type is not known.
    pub(super) fn is_declared(&self, rules: &Validation, ty: &TypeRef, scope: Lookup<'_>) -> bool {
        let is_declared = rules.type_.is_some() || rules.preserve_unknown_fields;
        is_declared && self.compat == Compat::Strict && !self.is_known(ty, scope)
    }

    fn is_known(&self, ty: &TypeRef, scope: Lookup<'_>) -> bool {
        match ty {
            TypeRef::Verbatim(_) => false,
            TypeRef::List(inner)
            | TypeRef::Map(inner)
            | TypeRef::Optional(inner)
            | TypeRef::Boxed(inner) => self.is_known(inner, scope),
            TypeRef::External(external) => {
                let path = ty.path().unwrap_or_default();
                self.argument(external).is_some()
                    || external.generic_type(scope.types).is_some()
                    || !external.instance.is_empty()
                    || Schema::of_foreign(&path).is_some()
                    || self.api.foreign_def(ty).is_some()
                    || builtin::definition(&path).is_some()
            }
            _ => true,
        }
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

fn asks_compiler(finding: &Diagnostic) -> bool {
    finding.help.iter().any(|help| help == ASK_COMPILER)
}
