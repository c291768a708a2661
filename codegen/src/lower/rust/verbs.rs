//! Verbs and methods of the typed client, from `+genclient` and its options.

use std::collections::BTreeSet;

use super::{Cx, resolve::Resolved};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{CustomMethod, TypeRef, Verb, VerbSet, names},
    read::{
        markers::{Argument, Marker},
        rust::Item,
    },
    suggest,
};

/// The verbs that the markers leave.
pub(super) fn verbs(item: &Item, status: bool, diagnostics: &mut Diagnostics) -> VerbSet {
    let markers = &item.markers;
    let all = VerbSet::all(status);
    if markers.has("genclient:noVerbs") {
        return VerbSet::default();
    }
    if markers.has("genclient:readonly") {
        return VerbSet(BTreeSet::from([Verb::Get, Verb::List, Verb::Watch]));
    }
    if let Some(marker) = markers.get("genclient:onlyVerbs") {
        let only = listed(marker, diagnostics);
        for verb in only.difference(&all.0) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "there is no status, so no verb `{}`",
                    verb.marker_name()
                ))
                .at(marker.place.clone(), "asks for it")
                .help("remove the verb, or `+genclient:noStatus`"),
            );
        }
        return VerbSet(only);
    }
    let skipped = markers
        .get("genclient:skipVerbs")
        .map(|marker| listed(marker, diagnostics))
        .unwrap_or_default();
    VerbSet(all.0.difference(&skipped).copied().collect())
}

/// The verbs that a marker lists, each known and once.
fn listed(marker: &Marker, diagnostics: &mut Diagnostics) -> BTreeSet<Verb> {
    let mut verbs = BTreeSet::new();
    let Some(argument) = marker.argument("") else {
        return verbs;
    };
    let known = || Verb::ALL.iter().map(|verb| verb.marker_name());
    for word in marker.texts("") {
        match Verb::ALL
            .into_iter()
            .find(|verb| verb.marker_name() == word)
        {
            Some(verb) => {
                if !verbs.insert(verb) {
                    diagnostics.push(
                        Diagnostic::error(format!("the verb `{word}` is listed twice"))
                            .at(argument.place.clone(), ""),
                    );
                }
            }
            None => {
                let unknown = Diagnostic::error(format!("unknown verb `{word}`"))
                    .at(word_place(argument, &word), "no verb of a client");
                diagnostics.push(match suggest::closest(&word, known()) {
                    Some(near) => unknown.help(format!("did you mean `{near}`?")),
                    None => unknown.help(format!(
                        "the verbs are {}",
                        known().collect::<Vec<_>>().join(", ")
                    )),
                });
            }
        }
    }
    verbs
}

/// The place of a word in a list.
fn word_place(argument: &Argument, word: &str) -> crate::diag::Place {
    let mut place = argument.place.clone();
    let text = place.text.get(place.range.clone()).unwrap_or_default();
    if let Some(at) = text.find(word) {
        let start = place.range.start + at;
        place.range = start..start + word.len();
    }
    place
}

impl Cx<'_> {
    /// The methods that `+genclient:method=` adds.
    pub(super) fn methods(&self, item: &Item, diagnostics: &mut Diagnostics) -> Vec<CustomMethod> {
        let mut methods: Vec<CustomMethod> = Vec::new();
        for marker in item.markers.all("genclient:method") {
            let Some(verb) = marker.text("verb").and_then(|name| {
                Verb::ALL
                    .into_iter()
                    .find(|verb| verb.marker_name() == name)
            }) else {
                continue;
            };
            let name = names::snake_case(marker.text("").unwrap_or_default());
            if !is_name(&name) {
                diagnostics.push(
                    Diagnostic::error("the method's name is no name")
                        .at(marker.place.clone(), "not a Rust identifier")
                        .help("write it in camel case, such as `GetScale`"),
                );
                continue;
            }
            let clash = methods.iter().any(|other| other.name == name);
            let verb_clash = Verb::ALL
                .iter()
                .any(|verb| names::snake_case(verb.marker_name()) == name);
            if clash || verb_clash {
                diagnostics.push(
                    Diagnostic::error(format!("the client already has a method `{name}`"))
                        .at(marker.place.clone(), "the second one")
                        .help("give it another name"),
                );
            }
            let takes_input = matches!(verb, Verb::Create | Verb::Update | Verb::Apply);
            if let (false, Some(input)) = (takes_input, marker.argument("input")) {
                diagnostics.push(
                    Diagnostic::error(format!("`{}` sends nothing", verb.marker_name()))
                        .at(input.place.clone(), "an input")
                        .help("only create, update and apply take an input"),
                );
            }
            let subresource = marker.text("subresource");
            for other in ["input", "result"] {
                if let (None, Some(argument)) = (subresource, marker.argument(other)) {
                    diagnostics.push(
                        Diagnostic::error(
                            "without a subresource a method is about the resource itself",
                        )
                        .at(argument.place.clone(), "another type")
                        .help(format!("name the `subresource`, or leave out `{other}`")),
                    );
                }
            }
            methods.push(CustomMethod {
                name,
                verb,
                subresource: subresource.map(str::to_owned),
                input: self.method_type(item, marker, "input", diagnostics),
                result: self.method_type(item, marker, "result", diagnostics),
            });
        }
        methods
    }

    /// A type that a marker names: of the version, by a Rust path, or by a Go path.
    fn method_type(
        &self,
        item: &Item,
        marker: &Marker,
        name: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<TypeRef> {
        let argument = marker.argument(name)?;
        let text = argument.value.as_str()?;
        if text.contains('/') {
            return go_type(text).map(TypeRef::External).or_else(|| {
                diagnostics.push(
                    Diagnostic::error(format!("no Rust type is known for `{text}`"))
                        .at(argument.place.clone(), "a Go path")
                        .help("name it by its Rust path, such as `crate::apis::…::Type`"),
                );
                None
            });
        }
        let segments: Vec<String> = text.split("::").map(str::to_owned).collect();
        if !segments.iter().all(|segment| is_name(segment)) {
            diagnostics.push(
                Diagnostic::error(format!("`{text}` is no type"))
                    .at(argument.place.clone(), "neither a name nor a path"),
            );
            return None;
        }
        match self.resolver.resolve(item.module, false, &segments) {
            Resolved::Item(index) => {
                let found = self.package.items.get(index)?;
                Some(TypeRef::Local(found.name.clone()))
            }
            Resolved::External(path) if path.len() > 1 => {
                Some(super::known::known(&path).map_or_else(
                    || TypeRef::External(path.join("::")),
                    |foreign| match foreign {
                        super::known::Foreign::Plain(plain) => plain,
                        _ => TypeRef::External(path.join("::")),
                    },
                ))
            }
            Resolved::External(_) => {
                let unknown = Diagnostic::error(format!("no type `{text}` in this version"))
                    .at(argument.place.clone(), "not declared here");
                let items = self.package.items.iter().map(|item| item.name.as_str());
                diagnostics.push(match suggest::closest(text, items) {
                    Some(near) => unknown.help(format!("did you mean `{near}`?")),
                    None => unknown.help("declare it, or name it by its path"),
                });
                None
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// k8s-openapi's path of a Go type: `k8s.io/api/autoscaling/v1.Scale` → `k8s_openapi::api::autoscaling::v1::Scale`.
fn go_type(text: &str) -> Option<String> {
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
    legal.then(|| format!("k8s_openapi::{}::{name}", segments.join("::")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_paths_have_a_rust_path() {
        assert_eq!(
            go_type("k8s.io/api/autoscaling/v1.Scale").as_deref(),
            Some("k8s_openapi::api::autoscaling::v1::Scale")
        );
        assert_eq!(
            go_type("k8s.io/apimachinery/pkg/apis/meta/v1.Status").as_deref(),
            Some("k8s_openapi::apimachinery::pkg::apis::meta::v1::Status")
        );
        assert_eq!(go_type("example.com/api/v1.Thing"), None);
        assert_eq!(go_type("k8s.io/api/../v1.Scale"), None);
    }
}
