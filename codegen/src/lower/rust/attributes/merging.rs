//! Combines the markers of a type or field with those equivalent to its attributes.

use serde_json::Value;

use super::{
    super::Cx,
    keywords::{self, Effect, Meaning},
};
use crate::{
    diag::{Diagnostic, Diagnostics, codes},
    model::{CelRule, WireType},
    read::{
        markers::{
            Argument, DECLARE_TYPE, Marker, MarkerDef, MarkerSet, MarkerType as _,
            field::{self, EmbeddedResource, ListMapKey, PreserveUnknownFields, Schemaless},
            rules::{
                Type, XEmbeddedResource, XIntOrString, XPreserveUnknownFields, XValidation,
                items_of,
            },
        },
        rust::{Demand, Literal, Said, SchemaAttrs, Word},
    },
    sparse::Sparse,
};

/// Whether markers determine the type of a value, so that the Rust type is not needed.
pub(in crate::lower::rust) fn declare_type(markers: &MarkerSet) -> bool {
    markers.has::<Schemaless>()
        || markers.has::<Type>()
        || markers.has::<PreserveUnknownFields>()
        || markers.has::<XPreserveUnknownFields>()
        || markers.has::<XIntOrString>()
        || markers.has::<EmbeddedResource>()
        || markers.has::<XEmbeddedResource>()
}

/// The types of a value and of its items.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) wire: WireType,
    pub(super) items: WireType,
}

/// The markers of one declaration, to which those equivalent to its attributes are added.
pub(super) struct Merging<'a> {
    cx: &'a Cx<'a>,
    /// The module of the item.
    module: usize,
    markers: &'a mut MarkerSet,
    /// The number of markers in comments.
    written: usize,
    target: Target,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Merging<'a> {
    pub(super) fn new(
        (cx, module): (&'a Cx<'a>, usize),
        markers: &'a mut MarkerSet,
        target: Target,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self {
            cx,
            module,
            written: markers.0.len(),
            markers,
            target,
            diagnostics,
        }
    }

    /// Adds the attributes of a type or field.
    pub(super) fn attributes(&mut self, schema: &mut Sparse<SchemaAttrs>, docs: &mut String) {
        let Some(schema) = schema.present_mut() else {
            return;
        };
        let demands = std::mem::take(&mut schema.demands);
        for demand in &demands {
            self.demand(demand, schema);
        }
        schema.demands = demands;
        if let Some((title, said)) = schema.title.clone() {
            match self.cx.value(self.module, &title) {
                Some(title @ Value::String(_)) => {
                    self.add(marker(&field::Title::DEF, vec![("", title)], &said));
                }
                _ => self.unknown(&said, Some(&field::Title::DEF), schema),
            }
        }
        if let Some((example, said)) = &schema.example
            && let Some(example) = self.cx.value(self.module, example)
        {
            self.add(marker(&field::Example::DEF, vec![("", example)], said));
        }
        if let Some((description, said)) = schema.description.clone() {
            match self.cx.value(self.module, &description) {
                Some(Value::String(text)) => *docs = text,
                _ => {
                    let finding = Diagnostic::warning(format!("`{}` is left out", said.shown))
                        .at(said.place, "not known without compiling");
                    schema.findings.push(finding);
                }
            }
        }
        if !declare_type(self.markers) {
            let function = schema.schema_with.iter().map(|(_, said)| said);
            let function = function.filter(|_| schema.code.is_none());
            let findings = schema.computed.iter().chain(function).map(|said| {
                Diagnostic::error(format!("`{}` is not known without compiling", said.shown))
                    .at(said.place.clone(), "code creates the schema")
                    .help(DECLARE_TYPE)
            });
            let findings: Vec<Diagnostic> = findings.collect();
            schema.findings.extend(findings);
        }
    }

    fn demand(&mut self, demand: &Demand, schema: &mut SchemaAttrs) {
        let said = &demand.said;
        if let Word::Rule(rule) = &demand.word {
            match rule {
                Some(rule) => self.add(rule_marker(rule, said)),
                None => self.unknown(said, Some(&XValidation::DEF), schema),
            }
            return;
        }
        if demand.depth > 1 && self.target.items != WireType::List {
            return self.idle(said, self.target.items, schema);
        }
        if demand.depth > 1 {
            let finding = unsupported(said, "on nested items", "nested too deeply")
                .help("declare a separate type for the items, and put it there");
            schema.findings.push(finding);
            return;
        }
        let value = self.cx.value(self.module, &demand.value);
        let wire = match demand.depth {
            0 => self.target.wire,
            _ => self.target.items,
        };
        match keywords::meaning(&demand.word, wire, value.clone()) {
            Meaning::Nothing => {}
            Meaning::Unknown => {
                let finding = Diagnostic::warning(format!("`{}` is left out", said.shown))
                    .at(said.place.clone(), "not a keyword of CRD schemas");
                schema.findings.push(finding);
            }
            Meaning::Structure => {
                let finding = unsupported(said, "", "changes the structure of the schema")
                    .help("change the Rust type")
                    .help(DECLARE_TYPE);
                if !declare_type(self.markers) {
                    schema.findings.push(finding);
                }
            }
            Meaning::Description(text) => {
                schema.description = Some((Literal::Known(text), said.clone()))
            }
            Meaning::Combinators(set) => match value {
                Some(value) if set(&mut schema.combinators, value.clone()) => {}
                _ => self.unknown(said, None, schema),
            },
            Meaning::Marker(def, effects) => {
                let items = items_of(def);
                let def = match (demand.depth, items) {
                    (0, _) => def,
                    (_, Some(items)) if self.target.wire == WireType::List => items,
                    _ => return self.idle(said, self.target.wire, schema),
                };
                match effects {
                    Effect::Idle => self.idle(said, wire, schema),
                    Effect::Unknown => self.unknown(said, Some(def), schema),
                    Effect::Wrong(expected) => schema.findings.push(wrong(said, expected)),
                    Effect::Values(values) => {
                        self.values(def, values, said, schema);
                    }
                }
            }
        }
    }

    /// Adds a marker for each value, or one marker without value.
    fn values(
        &mut self,
        def: &'static MarkerDef,
        values: Vec<Value>,
        said: &Said,
        schema: &mut SchemaAttrs,
    ) {
        if *def == XValidation::DEF {
            for value in values {
                match serde_json::from_value::<CelRule>(value) {
                    Ok(rule) if !rule.rule.is_empty() => self.add(rule_marker(&rule, said)),
                    _ => {
                        let finding = wrong(said, "rules, such as `[{\"rule\": \"self > 1\"}]`");
                        schema.findings.push(finding);
                    }
                }
            }
            return;
        }
        if *def == ListMapKey::DEF && self.says_keys(&values, said) {
            return;
        }
        if def.arguments.is_empty() {
            return self.add(marker(def, Vec::new(), said));
        }
        for value in values {
            self.add(marker(def, vec![("", value)], said));
        }
    }

    /// Whether markers in comments specify a list's keys; reports contradicting ones.
    fn says_keys(&mut self, keys: &[Value], said: &Said) -> bool {
        let written = self.markers.0.iter().take(self.written);
        let written: Vec<&Marker> = written.filter(|it| it.is::<ListMapKey>()).collect();
        let Some(first) = written.first() else {
            return false;
        };
        let of = |marker: &&Marker| marker.argument("").map(|it| it.value.clone());
        let known: Vec<Value> = written.iter().filter_map(of).collect();
        let is_same = known.len() == keys.len() && keys.iter().all(|key| known.contains(key));
        if !is_same {
            let error = contradiction(&said.shown, first, said);
            self.diagnostics.push(error);
        }
        true
    }

    /// Reports an unknown value, unless a marker specifies it.
    fn unknown(&self, said: &Said, def: Option<&MarkerDef>, schema: &mut SchemaAttrs) {
        let written = || self.markers.0.iter().take(self.written);
        if def.is_some_and(|def| written().any(|marker| marker.def == def)) {
            return;
        }
        let error = Diagnostic::error(format!("`{}` is not known without compiling", said.shown))
            .at(
                said.place.clone(),
                "neither a literal nor a constant of this version",
            );
        schema.findings.push(match def {
            Some(def) => {
                let argument = if *def == XValidation::DEF {
                    ":rule"
                } else {
                    ""
                };
                let marker = format!("+{}{argument}=…", def.name);
                error.help(format!(
                    "write the value, or set it in a comment: `{marker}`"
                ))
            }
            None => error.help("write the value"),
        });
    }

    /// Reports a constraint for another type of value, which schemars drops.
    fn idle(&self, said: &Said, wire: WireType, schema: &mut SchemaAttrs) {
        let message = format!("`{}` has no effect on {}", said.shown, wire.description());
        let finding = Diagnostic::warning(message).at(said.place.clone(), "schemars leaves it out");
        schema.findings.push(match wire {
            WireType::Object if said.shown.contains("length") => finding.help(
                "bound the number of keys with `+kubebuilder:validation:MinProperties=…` and `+kubebuilder:validation:MaxProperties=…`",
            ),
            _ => finding,
        });
    }

    /// Adds a marker, unless there is an equal one; reports a contradicting one.
    pub(super) fn add(&mut self, added: Marker) {
        let mut known = self.markers.0.iter().filter(|it| it.def == added.def);
        if known.clone().any(|marker| marker.arguments_equal(&added)) {
            return;
        }
        match known.next().filter(|_| !added.def.repeats) {
            Some(known) => {
                let said = Said {
                    shown: added.to_string(),
                    place: added.place,
                };
                let error = contradiction(&said.shown, known, &said);
                self.diagnostics.push(error);
            }
            None => self.markers.0.push(added),
        }
    }

    /// Checks the markers against each other, if attributes have added any.
    pub(super) fn finish(self) {
        if self.markers.0.len() > self.written {
            self.markers.check(self.diagnostics);
        }
    }
}

/// Creates the marker equivalent to an attribute.
pub(super) fn marker(
    def: &'static MarkerDef,
    arguments: Vec<(&'static str, Value)>,
    said: &Said,
) -> Marker {
    let arguments = arguments.into_iter().map(|(name, value)| Argument {
        name,
        value,
        place: said.place.clone(),
    });
    Marker {
        def,
        arguments: arguments.collect(),
        place: said.place.clone(),
        attribute: Some(said.shown.clone()),
    }
}

pub(super) fn rule_marker(rule: &CelRule, said: &Said) -> Marker {
    let text = |text: &Option<String>| text.clone().map(Value::String);
    let arguments = [
        ("rule", Some(Value::String(rule.rule.clone()))),
        ("message", text(&rule.message)),
        ("messageExpression", text(&rule.message_expression)),
        ("reason", text(&rule.reason)),
        ("fieldPath", text(&rule.field_path)),
        ("optionalOldSelf", rule.optional_old_self.map(Value::Bool)),
    ];
    let given = arguments.into_iter();
    let given = given.filter_map(|(name, value)| Some((name, value?)));
    marker(&XValidation::DEF, given.collect(), said)
}

/// The error for a marker and an attribute that say different things.
fn contradiction(shown: &str, known: &Marker, said: &Said) -> Diagnostic {
    Diagnostic::error(format!("`{shown}` contradicts `{known}`"))
        .of(codes::CONTRADICTION)
        .at(said.place.clone(), "this one")
        .at(known.place.clone(), "and this one")
        .help("remove one of them")
}

/// The error for an attribute that no schema of a CRD can express; `place` follows its name, such
/// as `on a variant`.
pub(super) fn unsupported(said: &Said, place: &str, label: &str) -> Diagnostic {
    let shown = &said.shown;
    Diagnostic::error(match place {
        "" => format!("`{shown}` is not supported"),
        place => format!("`{shown}` {place} is not supported"),
    })
    .of(codes::UNSUPPORTED_ATTRIBUTE)
    .at(said.place.clone(), label)
}

/// The error for a value of an attribute that has the wrong form.
fn wrong(said: &Said, expected: &str) -> Diagnostic {
    Diagnostic::error(format!("invalid value of `{}`", said.shown))
        .of(codes::INVALID_ATTRIBUTE)
        .at(said.place.clone(), format!("expected {expected}"))
}
