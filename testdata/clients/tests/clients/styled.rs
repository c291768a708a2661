//! Types with options: builders, extra derives and attributes.

use std::collections::{HashMap, HashSet};

use codegen_runtime::k8s_openapi::api::core::v1::FileKeySelector;
use golden_styled::apis::styled::v1::{
    Image, ImageBuild, ImageExtra, ImagePod, ImageSpec, ImageStatus, ImageStrategy,
};
use serde_json::json;

#[test]
fn a_builder_takes_texts_and_iterators_and_leaves_out_what_is_optional() {
    let spec = ImageSpec::builder()
        .source("git")
        .digest(None)
        .labels([("team", "a")].map(|(key, value)| (key.to_owned(), value.to_owned())))
        .with_build(
            ImageBuild::builder()
                .steps(["compile".to_owned()])
                .with_maybe_steps([1, 2])
                .build(),
        )
        .cache(None)
        .with_2fa(true)
        .pod(ImagePod::builder().image("builder").build())
        .maybe_extra(Some(
            ImageExtra::builder()
                .unknown_fields([("x".to_owned(), json!(1))])
                .build(),
        ))
        .build();
    let expected = json!({
        "build": { "maybe_steps": [1, 2], "steps": ["compile"] },
        "cache": null,
        "digest": null,
        "extra": { "x": 1 },
        "labels": { "team": "a" },
        "pod": { "image": "builder" },
        "retries": 3,
        "source": "git",
        "strategy": "Dockerfile",
        "2fa": true,
        "tag": "latest",
    });
    assert_eq!(serde_json::to_value(&spec).unwrap(), expected);
    let image = Image::builder()
        .metadata(Default::default())
        .spec(spec.clone())
        .status(ImageStatus::builder().ready(true).build())
        .build();
    assert_eq!(image.spec, spec);
}

#[test]
fn types_have_the_derives_of_the_patterns_that_they_match() {
    let seen = HashSet::from([ImageStrategy::Dockerfile]);
    assert!(seen.contains(&ImageSpec::default().strategy));
    assert_eq!(ImageSpec::default().labels, HashMap::new());
}

#[test]
fn boxed_types_of_kubernetes_keep_numbers() {
    let spec = json!({
        "digest": null, "labels": {}, "source": "git", "retries": 1, "strategy": "Dockerfile", "tag": null,
        "resources": { "limits": { "cpu": 2, "memory": "1Gi" } },
    });
    let read: ImageSpec = serde_json::from_value(spec.clone()).unwrap();
    let limits = read.resources.as_deref().unwrap().limits.as_ref().unwrap();
    assert_eq!(limits["cpu"].0, "+2");
    assert_eq!(serde_json::to_value(&read).unwrap(), spec);
}

#[test]
fn types_of_the_least_kubernetes_version_are_recognised() {
    let token = FileKeySelector {
        key: "token".to_owned(),
        path: "env".to_owned(),
        volume_name: "secrets".to_owned(),
        ..FileKeySelector::default()
    };
    let spec = ImageSpec {
        token: Some(token.clone()),
        ..ImageSpec::default()
    };
    assert_eq!(spec.token, Some(token));
}
