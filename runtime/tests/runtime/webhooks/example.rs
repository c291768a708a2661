//! Tests the example: defaults, validation and conversion of a kind with two versions.

#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/webhooks.rs"]
mod webhooks;

#[tokio::test]
async fn the_webhooks_example_runs() {
    let said = webhooks::run().await.unwrap();
    let expected = [
        "small has \"256Mi\" in v1",
        "small has 256 in v2",
        "plain has \"512Mi\" by default",
        "admission webhook \"validate-machine-v2.kb.io\" denied the request: Machine.example.com \"wrong\" is invalid: \
spec.mebibytes: Invalid value: 70000: must be at most 65536",
        "Internal error occurred: conversion webhook for example.com/v1, Kind=Machine failed: Machine \"wrong\" from example.com/v1 to example.com/v2: \
the memory is \"much\", not a number and Mi",
    ];
    assert_eq!(said, expected);
}
