//! Examples in the documentation of generated modules, each with the first kind that supports what the example shows.

use super::Emit;
use crate::model::{Group, Resource, Scope, Verb, Version};

/// An example of a client; empty if no client supports `list`.
pub(crate) fn clientset(cx: &Emit<'_>) -> String {
    let listed = |resource: &Resource| resource.client && resource.verbs.contains(Verb::List);
    let Some((group, version, resource)) = first(cx, listed) else {
        return String::new();
    };
    let namespace = match resource.scope {
        Scope::Namespaced => "\"default\"",
        Scope::Cluster => "",
    };
    let accessor = &resource.accessor;
    fenced(&[
        "let clientset = Clientset::try_default().await?;".to_owned(),
        format!(
            "let {accessor} = clientset.{}().{accessor}({namespace});",
            cx.api.clientset_method(group, version)
        ),
        format!("let list = {accessor}.list(&ListParams::default()).await?;"),
    ])
}

/// An example of a lister.
pub(crate) fn lister(cx: &Emit<'_>) -> String {
    let Some((group, version, resource)) = first(cx, Resource::has_informer) else {
        return String::new();
    };
    let (accessor, kind) = (&resource.accessor, &resource.root);
    let get = match resource.scope {
        Scope::Namespaced => format!("lister.{accessor}(\"default\").get(\"name\")"),
        Scope::Cluster => "lister.get(\"name\")".to_owned(),
    };
    fenced(&[
        format!(
            "let lister = factory.{}().{}().{accessor}().lister()?;",
            cx.api.factory_method(group),
            group.informers_method(version)
        ),
        format!("let object: Arc<{kind}> = {get}?;"),
    ])
}

/// An example of a factory and an informer.
pub(crate) fn informer(cx: &Emit<'_>) -> String {
    let Some((group, version, resource)) = first(cx, Resource::has_informer) else {
        return String::new();
    };
    fenced(&[
        "let factory = SharedInformerFactory::builder(clientset).build();".to_owned(),
        format!(
            "let informer = factory.{}().{}().{}();",
            cx.api.factory_method(group),
            group.informers_method(version),
            resource.accessor
        ),
        "informer.informer().add_event_handler(handler)?;".to_owned(),
        "factory.start(&stop);".to_owned(),
        "factory.wait_for_cache_sync().await?;".to_owned(),
    ])
}

/// An example of an apply configuration.
pub(crate) fn apply(cx: &Emit<'_>) -> String {
    let Some((group, version, resource)) = first(cx, Resource::is_applied) else {
        return String::new();
    };
    let (root, accessor) = (&resource.root, &resource.accessor);
    let (names, namespace) = match resource.scope {
        Scope::Namespaced => ("\"name\", \"default\"", "\"default\""),
        Scope::Cluster => ("\"name\"", ""),
    };
    fenced(&[
        format!(
            "let {accessor} = clientset.{}().{accessor}({namespace});",
            cx.api.clientset_method(group, version)
        ),
        format!("let wanted = {root}Apply::new({names}).labels([(\"tier\", \"web\")]);"),
        format!(
            "let stored = {accessor}.apply(&wanted, &PatchParams::apply(\"my-controller\")).await?;"
        ),
        format!("let applied = {root}Apply::extract(&stored, \"my-controller\")?;"),
    ])
}

fn first<'a>(
    cx: &Emit<'a>,
    shows: impl Fn(&Resource) -> bool,
) -> Option<(&'a Group, &'a Version, &'a Resource)> {
    let mut versions = cx.api.versions();
    versions.find_map(|(group, version)| {
        let resource = version.resources.iter().find(|resource| shows(resource))?;
        Some((group, version, resource))
    })
}

/// A code block to append to documentation. It uses variables that it does not define, so it is not run as a test.
fn fenced(lines: &[String]) -> String {
    format!("\n\n```ignore\n{}\n```", lines.join("\n"))
}
