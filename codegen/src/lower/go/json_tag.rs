//! The `json` key of struct tags, as interpreted by encoding/json and controller-gen.

use super::refs::Refs;
use crate::{diag::Diagnostic, model::Omission, read::go};

/// The `json` key of a tag.
pub(super) struct JsonTag<'a> {
    /// The name in the tag.
    pub(super) name: Option<&'a str>,
    /// When the encoder omits the field.
    pub(super) omits: Omission,
    /// `json:",omitempty"`, the only such option that controller-gen knows.
    pub(super) omits_empty: bool,
    /// `json:",string"`
    pub(super) quoted: bool,
    /// `json:",inline"`, which encoding/json does not know.
    pub(super) inline: bool,
    /// Whether controller-gen treats the field as embedded, whether or not it has a name in Go:
    /// with the option `inline`, or a tag without a name.
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

/// Returns the JSON name of a field of a root.
pub(super) fn json_name(field: &go::Field) -> Option<&str> {
    JsonTag::of(field).name
}

/// Reports a tag that Go can parse only in part; controller-gen uses the part that Go parses.
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
            .at(fault.place.clone(), "Go ignores the rest of the tag")
            .help("a tag is written `json:\"name,omitempty\" key:\"value\"`, in backticks"),
    );
}

/// Warns about a named field with `json:",inline"`: Go's encoder makes it a property, but
/// controller-gen inlines it.
pub(super) fn warn_of_inline(refs: &mut Refs<'_, '_>, source: &go::Field, tag: &JsonTag<'_>) {
    let property = tag.name.unwrap_or(&source.name);
    let consequence = match refs.cx.options.compat.is_strict() {
        true => format!("it is the property `{property}`"),
        false => format!(
            "as in controller-gen, the schema has no property `{property}`, which Go writes"
        ),
    };
    refs.diagnostics.push(
        Diagnostic::warning(format!(
            "`{}` is not inlined: Go's encoder does not know the option `inline`",
            source.name
        ))
        .at(source.place.clone(), consequence)
        .help("embed the type without a field name or tag name, or remove the option from the tag"),
    );
}
