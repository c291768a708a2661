//! The `json` key of struct tags, as encoding/json and controller-gen read it.

use super::refs::Refs;
use crate::{diag::Diagnostic, model::Omission, read::go};

/// The `json` key of a tag.
pub(super) struct JsonTag<'a> {
    /// The name that it gives.
    pub(super) name: Option<&'a str>,
    /// What the encoder leaves out.
    pub(super) omits: Omission,
    /// `json:",omitempty"`, which counts alone for controller-gen.
    pub(super) omits_empty: bool,
    /// `json:",string"`
    pub(super) quoted: bool,
    /// `json:",inline"`, which encoding/json does not know.
    pub(super) inline: bool,
    /// What controller-gen takes for embedded, whether the field has a name in Go or not: with the option `inline`, or a tag without a name.
    pub(super) inlined: bool,
    /// `json:"-"`
    pub(super) skip: bool,
}

impl<'a> JsonTag<'a> {
    pub(super) fn of(field: &'a go::Field) -> Self {
        let json = field.tag.as_ref().and_then(|tag| tag.json.as_deref());
        let text = json.unwrap_or_default();
        let mut parts = text.split(',');
        let name = parts.next().unwrap_or_default();
        let (mut omits, mut omits_empty) = (Omission::Never, false);
        let (mut quoted, mut inline) = (false, false);
        for option in parts {
            match option {
                "string" => quoted = true,
                "inline" => inline = true,
                "omitzero" => omits = Omission::Zero,
                "omitempty" => omits_empty = true,
                _ => {}
            }
        }
        if omits_empty && omits == Omission::Never {
            omits = Omission::Empty;
        }
        Self {
            name: (!name.is_empty()).then_some(name),
            omits,
            omits_empty,
            quoted,
            inline,
            inlined: inline || json.is_some() && name.is_empty(),
            skip: text == "-",
        }
    }
}

/// The name of a field on the wire, for roots.
pub(super) fn json_name(field: &go::Field) -> Option<&str> {
    JsonTag::of(field).name
}

/// A tag that Go reads in part is a mistake in an API; controller-gen takes what Go reads.
pub(super) fn check(refs: &mut Refs<'_, '_>, source: &go::Field) {
    let Some(fault) = source.tag.as_ref().and_then(|tag| tag.fault.as_ref()) else {
        return;
    };
    let problem = fault.problem.as_str();
    let diagnostic = match refs.cx.options.compat.is_strict() {
        true => Diagnostic::error(problem),
        false => Diagnostic::warning(problem),
    };
    refs.diagnostics.push(
        diagnostic
            .at(fault.place.clone(), "Go ignores the tag from the fault on")
            .help("a tag is written `json:\"name,omitempty\" key:\"value\"`, in backticks"),
    );
}

/// A field with a name is a property, whatever `json:",inline"` says; controller-gen inlines it.
pub(super) fn warn_of_inline(refs: &mut Refs<'_, '_>, source: &go::Field, tag: &JsonTag<'_>) {
    let property = tag.name.unwrap_or(&source.name);
    let consequence = match refs.cx.options.compat.is_strict() {
        true => format!("it is the property `{property}`"),
        false => format!(
            "as by controller-gen, the schema has no property `{property}`, which Go writes"
        ),
    };
    refs.diagnostics.push(
        Diagnostic::warning(format!(
            "`{}` is not inlined: Go's encoder knows no option `inline`",
            source.name
        ))
        .at(source.place.clone(), consequence)
        .help("embed the type, without a name of the field or in the tag; or take the option out of the tag"),
    );
}
