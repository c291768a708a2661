use std::collections::BTreeMap;

use serde_json::json;

use super::*;

/// The objects of the folder `config` among these files, or the error.
fn built(files: &[(&str, &str)]) -> Result<Vec<Value>, String> {
    let files: BTreeMap<&Path, &str> = files
        .iter()
        .map(|(path, text)| (Path::new(path), *text))
        .collect();
    let read = |path: &Path| match files.get(path) {
        Some(text) => Ok((*text).to_owned()),
        None => Err(io::ErrorKind::NotFound.into()),
    };
    let built = build(Path::new("config"), &read);
    let built = built.map(|objects| objects.into_iter().map(|object| object.0).collect());
    built.map_err(|error| error.to_string())
}

const POD: &str = "kind: ReplicaSet\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c, image: 'r.example.com:5000/c:1'}]}}}\n";

#[test]
fn resources_components_patches_and_images_are_applied_in_this_order() {
    let files = [
        (
            "config/kustomization.yaml",
            "resources: [a.yaml, ../base]\ncomponents: [part]\n\
             patches:\n- target: {kind: A|ReplicaSet}\n  patch: '[{op: add, path: /metadata/labels, value: {b: c}}]'\n\
             images:\n- {name: r.example.com:5000/c, newTag: '2'}\n",
        ),
        ("config/a.yaml", POD),
        ("base/kustomization.yaml", "resources: [b.yaml]\n"),
        (
            "base/b.yaml",
            "kind: B\nmetadata: {name: b}\n---\nkind: A\nmetadata: {name: a}\n",
        ),
        (
            "config/part/kustomization.yaml",
            "kind: Component\npatches:\n- path: patch.yaml\n",
        ),
        (
            "config/part/patch.yaml",
            "kind: ReplicaSet\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {replicas: 3}\n",
        ),
    ];
    let labels = json!({"name": "a", "labels": {"b": "c"}});
    let pod = json!({"containers": [{"name": "c", "image": "r.example.com:5000/c:2"}]});
    let expected = vec![
        json!({"kind": "ReplicaSet", "apiVersion": "apps/v1", "metadata": labels,
            "spec": {"replicas": 3, "template": {"spec": pod}}}),
        json!({"kind": "B", "metadata": {"name": "b"}}),
        json!({"kind": "A", "metadata": labels}),
    ];
    assert_eq!(built(&files), Ok(expected));
}

#[test]
fn what_only_kustomize_knows_is_refused_with_the_way_to_pass_it() {
    let check = |kustomization: &str, words: &str| {
        let files = [
            ("config/kustomization.yaml", kustomization),
            ("config/a.yaml", POD),
        ];
        let error = built(&files).unwrap_err();
        let words = [words, "config/kustomization.yaml", "kustomize build"];
        assert!(words.iter().all(|it| error.contains(it)), "{error}");
    };
    rows![check:
        ("namePrefix: a-", "`namePrefix`"),
        ("resources: ['https://example.com/a.yaml']", "the address"),
        ("resources: [a.yaml]\npatches:\n- target: {kind: .*}\n  patch: '{}'", "the pattern `.*`"),
        ("resources: [a.yaml]\npatches:\n- target: {labelSelector: a=b}\n  patch: '{}'", "`labelSelector`"),
        ("resources: [a.yaml]\npatches:\n- patch: '[]'", "without `target`"),
        ("resources: [a.yaml]\npatches:\n- target: {kind: ReplicaSet}\n  patch: '{spec: {$patch: delete}}'", "`$patch`"),
    ];
}

#[test]
fn a_file_that_is_missing_or_no_object_is_named() {
    let missing = built(&[("config/kustomization.yaml", "resources: [a.yaml]")]);
    assert!(missing.unwrap_err().contains("cannot read config/a.yaml"));
    let files = [
        ("config/kustomization.yaml", "resources: [a.yaml]"),
        ("config/a.yaml", "a: b"),
    ];
    let error = built(&files).unwrap_err();
    assert_eq!(
        error,
        "config/a.yaml: an object lacks `kind` or `metadata.name`"
    );
}

#[test]
fn images_have_a_repository_a_tag_and_a_digest() {
    let check = |text: &str, expected: [&str; 3]| {
        let image = Image::parse(text);
        assert_eq!([image.repository, image.tag, image.digest], expected);
        assert_eq!(image.to_string(), text);
    };
    rows![check:
        ("a", ["a", "", ""]),
        ("r:5000/a", ["r:5000/a", "", ""]),
        ("r:5000/a:1", ["r:5000/a", "1", ""]),
        ("r/a@sha256:0", ["r/a", "", "sha256:0"]),
        ("r/a:1@sha256:0", ["r/a", "1", "sha256:0"]),
    ];
}
