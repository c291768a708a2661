//! Typed client methods besides its verbs, from `+genclient:method=…`.

use super::rust::well_known::{Foreign, well_known};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{CustomMethod, ExternalType, TypeRef, Verb, VerbSet, names},
    read::markers::{At, Found, MarkerSet, client::Method},
    suggest,
};

/// The methods that every typed client has.
const OWN: &[&str] = &["new", "typed"];

/// Resolves a type that a marker refers to by a path other than Go's.
pub(super) type Local<'l> = &'l mut dyn FnMut(&At<String>, &mut Diagnostics) -> Option<TypeRef>;

/// Returns the methods that `+genclient:method=` adds to those of the verbs.
pub(super) fn of_markers(
    markers: &MarkerSet,
    verbs: &VerbSet,
    local: Local<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<CustomMethod> {
    let mut methods: Vec<CustomMethod> = Vec::new();
    for marker in markers.all::<Method>() {
        let Some(method) = method(&marker, local, diagnostics) else {
            continue;
        };
        let name = method.name.as_str();
        let is_taken = OWN.contains(&name)
            || verbs.methods().any(|other| other == name)
            || methods.iter().any(|other| other.name == name);
        if is_taken {
            diagnostics.push(
                Diagnostic::error(format!("the client already has a method `{name}`"))
                    .at(marker.place.clone(), "the second one")
                    .help("give it another name"),
            );
        }
        methods.push(method);
    }
    methods
}

fn method(
    marker: &Found<'_, Method>,
    local: Local<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<CustomMethod> {
    let name = names::snake_case(&marker.name);
    if !is_name(&name) {
        diagnostics.push(
            Diagnostic::error(format!("invalid method name `{}`", marker.name))
                .at(marker.place.clone(), "not a Rust identifier")
                .help("write it in camel case, such as `GetScale`"),
        );
        return None;
    }
    check_arguments(marker, diagnostics);
    let mut method_type =
        |argument: &Option<At<String>>| method_type(argument.as_ref()?, local, diagnostics);
    Some(CustomMethod {
        name,
        verb: marker.verb,
        subresource: marker.subresource.as_ref().map(|name| name.value.clone()),
        input: method_type(&marker.input),
        result: method_type(&marker.result),
    })
}

/// Resolves a type in a marker: of the version, by a Rust path, or by a Go path.
fn method_type(
    argument: &At<String>,
    local: Local<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<TypeRef> {
    let text = argument.value.as_str();
    if text.contains('/') {
        return go_type(text).map(method_reference).or_else(|| {
            diagnostics.push(
                Diagnostic::error(format!("no Rust type is known for `{text}`"))
                    .at(argument.place.clone(), "a Go path")
                    .help("use its Rust path, such as `crate::apis::…::Type`"),
            );
            None
        });
    }
    local(argument, diagnostics)
}

/// Creates the error for a type name that does not exist in the version.
pub(super) fn unknown_type<'a>(
    argument: &At<String>,
    names: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let text = &argument.value;
    let unknown = Diagnostic::error(format!("no type `{text}` in this version"))
        .at(argument.place.clone(), "not declared here");
    match suggest::closest(text, names) {
        Some(near) => unknown.help(format!("did you mean `{near}`?")),
        None => unknown.help("declare it, or use its path"),
    }
}

/// Checks that the verb of a method supports its input, result and subresource.
fn check_arguments(marker: &Method, diagnostics: &mut Diagnostics) {
    let verb = marker.verb;
    let name = verb.marker_name();
    let takes_input = matches!(verb, Verb::Create | Verb::Update | Verb::Apply);
    if let (false, Some(input)) = (takes_input, &marker.input) {
        diagnostics.push(
            Diagnostic::error(format!("`{name}` sends nothing"))
                .at(input.place.clone(), "an input")
                .help("only create, update and apply take an input"),
        );
    }
    if let (Verb::Watch | Verb::Delete, Some(subresource)) = (verb, &marker.subresource) {
        diagnostics.push(
            Diagnostic::error(format!(
                "`{name}` applies to objects, not to their subresources"
            ))
            .at(subresource.place.clone(), "a subresource")
            .help("remove the `subresource`"),
        );
    }
    // Requests such as reviews are created, and answered with a different type.
    let about_itself = marker.subresource.is_none() && verb != Verb::Create;
    for (other, argument) in [("input", &marker.input), ("result", &marker.result)] {
        if let (true, Some(argument)) = (about_itself, argument) {
            diagnostics.push(
                Diagnostic::error("without a subresource, a method applies to the resource itself")
                    .at(argument.place.clone(), "another type")
                    .help(format!("specify the `subresource`, or remove `{other}`")),
            );
        }
    }
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the reference to a type by its path.
pub(super) fn method_reference(path: Vec<String>) -> TypeRef {
    match well_known(&path) {
        Some(Foreign::Plain(TypeRef::Known(known))) => TypeRef::Known(known),
        _ => TypeRef::External(ExternalType::new(path)),
    }
}

/// Returns k8s-openapi's path for a Go type: `k8s.io/api/autoscaling/v1.Scale` →
/// `k8s_openapi::api::autoscaling::v1::Scale`.
fn go_type(text: &str) -> Option<Vec<String>> {
    let (package, name) = text.rsplit_once('.')?;
    let path = package
        .strip_prefix("k8s.io/api/")
        .map(|rest| format!("api/{rest}"))
        .or_else(|| {
            package
                .strip_prefix("k8s.io/apimachinery/")
                .map(|rest| format!("apimachinery/{rest}"))
        })?;
    let segments: Vec<&str> = path.split('/').collect();
    let legal = is_name(name) && segments.iter().all(|segment| is_name(segment));
    let path = ["k8s_openapi"].into_iter().chain(segments).chain([name]);
    legal.then(|| path.map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_paths_have_a_rust_path() {
        assert_eq!(
            go_type("k8s.io/api/autoscaling/v1.Scale").map(|path| path.join("::")),
            Some("k8s_openapi::api::autoscaling::v1::Scale".to_owned())
        );
        assert_eq!(
            go_type("k8s.io/apimachinery/pkg/apis/meta/v1.Status").map(|path| path.join("::")),
            Some("k8s_openapi::apimachinery::pkg::apis::meta::v1::Status".to_owned())
        );
        assert_eq!(go_type("example.com/api/v1.Thing"), None);
        assert_eq!(go_type("k8s.io/api/../v1.Scale"), None);
    }
}
