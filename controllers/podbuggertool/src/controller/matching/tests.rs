use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use codegen_runtime::store::Store;
use serde_json::{Value, json};

use super::*;

fn spec(selector: Value) -> PodBuggerToolSpec {
    PodBuggerToolSpec {
        selector: serde_json::from_value::<LabelSelector>(selector).unwrap_or_default(),
        image: "busybox".to_owned(),
        ..PodBuggerToolSpec::default()
    }
}

fn tool(name: &str, spec: PodBuggerToolSpec) -> PodBuggerTool {
    let mut tool = PodBuggerTool {
        spec,
        ..PodBuggerTool::default()
    };
    tool.metadata.name = Some(name.to_owned());
    tool
}

fn pod(namespace: &str, name: &str, labels: &[(&str, &str)]) -> PodMeta {
    let labels = labels
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    PodMeta {
        metadata: ObjectMeta {
            namespace: Some(namespace.to_owned()),
            name: Some(name.to_owned()),
            labels: Some(labels.collect()),
            ..ObjectMeta::default()
        },
        ..PodMeta::default()
    }
}

fn matching(
    tools: impl IntoIterator<Item = PodBuggerTool>,
    pods: impl IntoIterator<Item = PodMeta>,
) -> Matching {
    let (tool_store, pod_store) = (Store::new(), Store::new());
    let added = tool_store
        .add_indexer(DEMANDS, |tool: &PodBuggerTool| demands(&tool.spec))
        .and_then(|()| {
            pod_store.add_indexer(LABELS, |pod: &PodMeta| {
                labels(pod.metadata.labels.as_ref()).collect()
            })
        });
    assert_eq!(added, Ok(()));
    tools.into_iter().for_each(|it| drop(tool_store.insert(it)));
    pods.into_iter().for_each(|it| drop(pod_store.insert(it)));
    Matching {
        tools: Lister::new(tool_store),
        pods: Lister::new(pod_store),
        reach: Arc::default(),
    }
}

#[test]
fn both_ways_find_what_selectors_and_namespaces_say() {
    let cases = [
        json!({}),
        json!({"matchLabels": {"app": "web", "tier": "front"}}),
        json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "api", "web"]}]}),
        json!({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}),
        json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}),
        json!({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}),
        json!({"matchExpressions": [{"key": "app", "operator": "In", "values": []}]}),
        json!({"matchExpressions": [{"key": "app", "operator": "Near"}]}),
    ];
    let pods = [
        pod("a", "1", &[("app", "web"), ("tier", "front")]),
        pod("a", "2", &[("app", "api")]),
        pod("b", "3", &[("app", "web")]),
        pod("b", "4", &[("tier", "front")]),
        pod("b", "5", &[]),
    ];
    // For each selector: the pods in all namespaces, and those in b.
    let expected = [
        ("12345", "345"),
        ("1", ""),
        ("123", "3"),
        ("14", "4"),
        ("245", "45"),
        ("235", "35"),
        ("", ""),
        ("", ""),
    ];
    for (selector, (everywhere, in_b)) in cases.into_iter().zip(expected) {
        for (namespaces, expected) in [(vec![], everywhere), (vec!["b".to_owned()], in_b)] {
            let mut spec = spec(selector.clone());
            spec.namespaces = namespaces;
            let tool = tool("t", spec);
            let matching = matching([tool.clone()], pods.clone());
            let mut found: Vec<String> = matching
                .pods_for(&tool)
                .unwrap_or_default()
                .iter()
                .filter_map(|pod| pod.metadata.name.clone())
                .collect();
            found.sort_unstable();
            assert_eq!(found.concat(), expected, "{selector}");
            let concerned = |pod: &&PodMeta| matching.tools_for(pod).is_ok_and(|it| it.len() == 1);
            let found: Vec<String> = pods
                .iter()
                .filter(concerned)
                .filter_map(|pod| pod.metadata.name.clone())
                .collect();
            assert_eq!(found.concat(), expected, "{selector}");
        }
    }
}

#[test]
fn a_hundred_tools_and_ten_thousand_pods_are_looked_up_and_not_scanned() {
    let tools: Vec<PodBuggerTool> = (0..100)
        .map(|n| {
            let selector = json!({"matchLabels": {"app": format!("app-{n}"), "tier": "front"}});
            tool(&format!("tool-{n:03}"), spec(selector))
        })
        .collect();
    let pods: Vec<PodMeta> = (0..10_000)
        .map(|n| {
            let app = format!("app-{}", n % 1000);
            pod(
                "default",
                &format!("pod-{n}"),
                &[("app", &app), ("tier", "front")],
            )
        })
        .collect();
    let matching = matching(tools.clone(), pods.clone());
    // Ten pods for each tool: the candidates are the matches, not a million pairs.
    let looked_at: usize = pods
        .iter()
        .map(|pod| {
            matching
                .tool_candidates(pod)
                .map_or(usize::MAX, |it| it.len())
        })
        .sum();
    assert_eq!(looked_at, 1000);
    for tool in &tools {
        assert_eq!(matching.pod_candidates(tool).map(|it| it.len()), Ok(10));
        assert_eq!(matching.pods_for(tool).map(|it| it.len()), Ok(10));
    }
}

#[test]
fn a_spec_that_makes_no_sense_says_what_to_write() {
    let mut blank = spec(json!({}));
    for image in ["", " ", " busybox"] {
        image.clone_into(&mut blank.image);
        let message = selector(&blank).map(drop).unwrap_err();
        assert!(
            message.starts_with("spec.image: write an image"),
            "{message}"
        );
    }
    let exists = json!({"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]});
    let message = selector(&spec(exists)).map(drop).unwrap_err();
    assert!(
        message.starts_with("spec.selector.matchExpressions[0]: write In"),
        "{message}"
    );
}
