//! The ephemeral container of a tool: its name, its contents, and whether a pod has it.
//!
//! Ephemeral containers carry no labels and never change, so the container's name identifies the
//! tool: it consists of the tool's name and a hash of the container's fields. The name identifies
//! the tool; the contents decide whether a container of that name is really the tool's.

use codegen_runtime::k8s_openapi::api::core::v1::{EphemeralContainer, Pod};

use crate::apis::tools::v1alpha1::{PodBuggerTool, PodBuggerToolSpec};

/// The longest tool name used unshortened in a container name: a label of 63 characters leaves room
/// for hash and number.
const STEM: usize = 48;

/// The number of names tried when others are taken.
const NAMES: usize = 10;

/// The action for a tool in a pod.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Plan {
    /// The pod already has the container.
    Present,
    /// The container must be added.
    Add(Box<EphemeralContainer>),
    /// The pod can never have the container, since the containers in the way cannot be removed.
    Impossible(String),
}

/// Returns the prefix of a tool's container names: the tool's name, or a part of it with a hash of
/// the whole.
pub(super) fn stem(tool: &PodBuggerTool) -> String {
    let name = tool.metadata.name.as_deref().unwrap_or_default();
    if name.len() <= STEM && !name.contains('.') {
        return name.to_owned();
    }
    let part: String = name.replace('.', "-").chars().take(STEM - 9).collect();
    format!("{}-{:08x}", part.trim_end_matches('-'), fnv([name]))
}

/// Returns the container name for the current version of the tool.
pub(super) fn container_name(tool: &PodBuggerTool) -> String {
    format!("{}-{}", stem(tool), revision(&tool.spec))
}

/// Returns a hash of the spec fields that the container is built from.
fn revision(spec: &PodBuggerToolSpec) -> String {
    let target = spec.target_container.as_deref().unwrap_or_default();
    let texts = [spec.image.as_str(), target].into_iter();
    let hash = fnv(texts.chain(spec.command.iter().map(String::as_str)));
    format!("{hash:08x}")
}

/// FNV-1a, which is stable across processes and versions.
fn fnv<'a>(texts: impl IntoIterator<Item = &'a str>) -> u32 {
    let bytes = texts
        .into_iter()
        .flat_map(|text| text.bytes().chain([0xff]));
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Decides the action for `tool` in `pod`.
pub(super) fn plan(tool: &PodBuggerTool, pod: &Pod) -> Plan {
    let Some(spec) = &pod.spec else {
        return Plan::Impossible("the pod has no spec".to_owned());
    };
    let init = spec.init_containers.iter().flatten();
    let others: Vec<&str> = spec
        .containers
        .iter()
        .chain(init)
        .map(|it| it.name.as_str())
        .collect();
    if let Some(target) = &tool.spec.target_container
        && !others.contains(&target.as_str())
    {
        let names = others.join(", ");
        return Plan::Impossible(format!(
            "spec.targetContainer: no container is named {target:?}; the pod has {names}"
        ));
    }
    let base = container_name(tool);
    for n in 1..=NAMES {
        let name = if n == 1 {
            base.clone()
        } else {
            format!("{base}-{n}")
        };
        let wanted = container(&tool.spec, name);
        let mut ephemeral = spec.ephemeral_containers.iter().flatten();
        match ephemeral.find(|it| it.name == wanted.name) {
            Some(there) if is_same(there, &wanted) => return Plan::Present,
            None if !others.contains(&wanted.name.as_str()) => return Plan::Add(Box::new(wanted)),
            _ => {}
        }
    }
    Plan::Impossible(format!(
        "the container names {base} to {base}-{NAMES} are taken"
    ))
}

fn container(spec: &PodBuggerToolSpec, name: String) -> EphemeralContainer {
    EphemeralContainer {
        name,
        image: Some(spec.image.clone()),
        command: (!spec.command.is_empty()).then(|| spec.command.clone()),
        target_container_name: spec.target_container.clone(),
        ..EphemeralContainer::default()
    }
}

fn is_same(one: &EphemeralContainer, two: &EphemeralContainer) -> bool {
    let parts = |it: &EphemeralContainer| {
        let command = it.command.clone().unwrap_or_default();
        (it.image.clone(), command, it.target_container_name.clone())
    };
    parts(one) == parts(two)
}

/// Whether `pod` has a container of an earlier version of the tool.
pub(super) fn has_earlier(tool: &PodBuggerTool, pod: &Pod) -> bool {
    let (stem, now) = (stem(tool), revision(&tool.spec));
    let containers = pod.spec.iter().flat_map(|it| &it.ephemeral_containers);
    containers.flatten().any(|container| {
        let rest = container.name.strip_prefix(&stem);
        let Some(rest) = rest.and_then(|rest| rest.strip_prefix('-')) else {
            return false;
        };
        let (hash, number) = rest.split_once('-').unwrap_or((rest, ""));
        let is_hash = hash.len() == 8 && hash.bytes().all(|it| it.is_ascii_hexdigit());
        is_hash && number.bytes().all(|it| it.is_ascii_digit()) && hash != now
    })
}

#[cfg(test)]
mod tests {
    use codegen_runtime::k8s_openapi::api::core::v1::{Container, PodSpec};

    use super::*;

    fn tool(name: &str, image: &str) -> PodBuggerTool {
        let mut tool = PodBuggerTool::default();
        tool.metadata.name = Some(name.to_owned());
        tool.spec.image = image.to_owned();
        tool
    }

    fn pod(containers: &[&str]) -> Pod {
        let named = |name: &&str| Container {
            name: (*name).to_owned(),
            ..Container::default()
        };
        Pod {
            spec: Some(PodSpec {
                containers: containers.iter().map(named).collect(),
                ..PodSpec::default()
            }),
            ..Pod::default()
        }
    }

    fn add(pod: &mut Pod, tool: &PodBuggerTool) -> String {
        let Plan::Add(container) = plan(tool, pod) else {
            panic!("{:?}", plan(tool, pod));
        };
        let name = container.name.clone();
        if let Some(spec) = &mut pod.spec {
            spec.ephemeral_containers
                .get_or_insert_default()
                .push(*container);
        }
        name
    }

    #[test]
    fn a_tool_is_added_once_and_again_when_it_changes() {
        let mut pod = pod(&["main"]);
        let old = tool("netshoot", "netshoot:1");
        let name = add(&mut pod, &old);
        assert_eq!(name, "netshoot-720d2168");
        assert_eq!(plan(&old, &pod), Plan::Present);
        assert!(!has_earlier(&old, &pod));
        let mut new = tool("netshoot", "netshoot:2");
        assert_ne!(add(&mut pod, &new), name);
        assert!(has_earlier(&new, &pod) && has_earlier(&old, &pod));
        new.spec.command = vec!["sleep".to_owned(), "infinity".to_owned()];
        add(&mut pod, &new);
        assert_eq!(plan(&old, &pod), Plan::Present);
    }

    #[test]
    fn names_that_others_have_taken_are_avoided() {
        let tool = tool("netshoot", "netshoot:1");
        let name = container_name(&tool);
        let mut pod = pod(&[&name]);
        assert_eq!(add(&mut pod, &tool), format!("{name}-2"));
        assert_eq!(plan(&tool, &pod), Plan::Present);
        let all: Vec<String> = (2..=NAMES).map(|n| format!("{name}-{n}")).collect();
        let taken: Vec<&str> = std::iter::once(name.as_str())
            .chain(all.iter().map(String::as_str))
            .collect();
        let full = self::pod(&taken);
        assert!(matches!(plan(&tool, &full), Plan::Impossible(_)));
    }

    #[test]
    fn a_target_must_be_a_container_of_the_pod() {
        let mut tool = tool("netshoot", "netshoot:1");
        tool.spec.target_container = Some("web".to_owned());
        let expected = "spec.targetContainer: no container is named \"web\"; the pod has main";
        assert_eq!(
            plan(&tool, &pod(&["main"])),
            Plan::Impossible(expected.to_owned())
        );
        assert!(matches!(plan(&tool, &pod(&["web"])), Plan::Add(_)));
    }

    #[test]
    fn tools_of_all_names_have_container_names_of_their_own() {
        let long = "x".repeat(253);
        let names = [
            "a",
            "a-b",
            "a.b",
            "b",
            &"y".repeat(48),
            &"y".repeat(49),
            &long,
        ];
        let mut stems: Vec<String> = names.iter().map(|it| stem(&tool(it, "i"))).collect();
        assert!(stems.iter().all(|it| it.len() <= STEM && !it.contains('.')));
        assert!(container_name(&tool(&long, "i")).len() <= 63 - 3);
        stems.sort_unstable();
        stems.dedup();
        assert_eq!(stems.len(), names.len());
        let mut pod = pod(&["main"]);
        add(&mut pod, &tool("a-b", "i"));
        assert!(!has_earlier(&tool("a", "i"), &pod));
    }
}
