//! Generated apply configurations: how they merge, and what a manager extracts. The scenarios of structured-merge-diff's
//! `extract_apply_test.go` keep their names.

use codegen_runtime::apply::{Applier, ApplyConfiguration, ApplyError};
use codegen_runtime::client::TypedClient;
use golden_merging::apis::merging::v1::{Place, Sample, Source};
use golden_merging::generated::applyconfiguration::merging::v1::{
    DiskApply, PartApply, PortApply, SampleApply, SampleSpecApply, SampleStatusApply,
};
use kube::api::{Patch, PatchParams};
use kube::{Client, CustomResourceExt, ResourceExt};
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::definitions::Definition;
use crate::harness::cases;
use crate::support::namespace;

cases![samples];

/// The kind belongs to one case; each scenario uses an object of its own.
async fn samples(client: Client) {
    Definition::of(Sample::crd()).install(&client).await;
    let namespace = namespace(&client).await;
    let samples = TypedClient::namespaced(client, &namespace);
    let object = |name: &'static str| Object {
        samples: samples.clone(),
        name: name.replace('_', "-"),
    };
    macro_rules! scenarios {
        ($($name:ident),* $(,)?) => {$(
            println!("{}", stringify!($name));
            $name(object(stringify!($name))).await;
        )*};
    }
    scenarios![
        apply_one_extract_apply_one_own_both,
        extract_apply_from_beginning,
        apply_after_extract_remove_fields,
        apply_one_controller_remove_extract_apply_one,
        extract_apply_retain_ownership_after_controller_update,
        extract_apply_share_ownership_after_another_apply,
        apply_two_cant_delete_object_also_owned_by_extract_apply,
        extract_apply_empty_structure_list,
        extract_apply_empty_structure_remove_list,
        extract_apply_empty_structure_add_later_list,
        extract_apply_empty_structure_map,
        extract_apply_empty_structure_remove_map,
        extract_apply_empty_structure_add_later_map,
        extract_apply_atomic_list,
        extract_apply_atomic_map,
        every_field_is_applied_and_extracted,
        what_was_extracted_changes_nothing,
        a_key_with_a_default_may_be_left_out,
        two_managers_share_an_item,
        null_clears,
        the_status_is_apart,
        what_others_wrote_stays,
        a_conflict_names_the_other_manager,
        what_was_applied_is_extracted,
    ];
}

struct Object {
    samples: TypedClient<Sample>,
    name: String,
}

impl Object {
    fn wanted(&self, spec: SampleSpecApply) -> SampleApply {
        SampleApply::new(&self.name, self.samples.namespace()).spec(spec)
    }

    async fn apply(&self, manager: &str, spec: SampleSpecApply) -> Sample {
        let params = PatchParams::apply(manager);
        let applied = self.samples.apply(&self.wanted(spec), &params).await;
        applied.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Extracts what `manager` has applied, changes it, and applies it again.
    async fn extract_apply(
        &self,
        manager: &str,
        change: impl FnOnce(&mut SampleSpecApply),
    ) -> Sample {
        let stored = self.samples.get_opt(&self.name).await.unwrap();
        let before = stored.and_then(|it| SampleApply::extract(&it, manager).unwrap());
        let mut spec = before.and_then(|it| it.spec).unwrap_or_default();
        change(&mut spec);
        self.apply(manager, spec).await
    }

    /// Updates the list as a controller, with a merge patch.
    async fn update(&self, list: &[&str]) {
        let params = PatchParams {
            field_manager: Some("controller".to_owned()),
            ..PatchParams::default()
        };
        let patch = Patch::Merge(json!({"spec": {"list": list}}));
        self.samples
            .patch(&self.name, &params, &patch)
            .await
            .unwrap();
    }

    async fn extract(&self, manager: &str) -> SampleSpecApply {
        let stored = self.samples.get(&self.name).await.unwrap();
        let found = SampleApply::extract(&stored, manager).unwrap();
        let Some(found) = found else {
            panic!("{}: {manager} has nothing of {stored:?}", self.name);
        };
        found.spec.unwrap_or_default()
    }

    /// Checks the spec, and what each manager has applied.
    async fn check(&self, spec: Value, managed: &[(&str, SampleSpecApply)]) {
        let stored = self.samples.get(&self.name).await.unwrap();
        let stored = serde_json::to_value(stored).unwrap();
        assert_eq!(stored["spec"], spec, "{}", self.name);
        for (manager, expected) in managed {
            assert_eq!(
                self.extract(manager).await,
                *expected,
                "{}: {manager}",
                self.name
            );
        }
    }
}

fn spec() -> SampleSpecApply {
    SampleSpecApply::default()
}

fn list(items: &[&str]) -> SampleSpecApply {
    spec().list(items.iter().copied())
}

fn map(entries: &[(&str, &str)]) -> SampleSpecApply {
    spec().map(entries.iter().copied())
}

fn add(item: &'static str) -> impl FnOnce(&mut SampleSpecApply) {
    move |spec| spec.list.get_or_insert_default().push(item.to_owned())
}

async fn apply_one_extract_apply_one_own_both(object: Object) {
    object.apply("default", list(&["a"])).await;
    object.extract_apply("default", add("b")).await;
    let both = list(&["a", "b"]);
    object
        .check(json!({"list": ["a", "b"]}), &[("default", both)])
        .await;
}

async fn extract_apply_from_beginning(object: Object) {
    object.extract_apply("default", add("a")).await;
    object.extract_apply("default", add("b")).await;
    let both = list(&["a", "b"]);
    object
        .check(json!({"list": ["a", "b"]}), &[("default", both)])
        .await;
}

async fn apply_after_extract_remove_fields(object: Object) {
    object.extract_apply("default", add("a")).await;
    object.apply("default", list(&["b"])).await;
    object
        .check(json!({"list": ["b"]}), &[("default", list(&["b"]))])
        .await;
}

async fn apply_one_controller_remove_extract_apply_one(object: Object) {
    object.apply("default", list(&["a"])).await;
    object.update(&["b"]).await;
    object.extract_apply("default", add("c")).await;
    object
        .check(json!({"list": ["b", "c"]}), &[("default", list(&["c"]))])
        .await;
}

async fn extract_apply_retain_ownership_after_controller_update(object: Object) {
    object.apply("default", list(&["a"])).await;
    object.update(&["a", "b"]).await;
    object.extract_apply("default", add("c")).await;
    let stored = object.samples.get(&object.name).await.unwrap();
    let mut items = stored.spec.and_then(|it| it.list).unwrap_or_default();
    items.sort();
    assert_eq!(items, ["a", "b", "c"]);
    assert_eq!(
        object.extract("default").await.list.map(|it| it.len()),
        Some(2)
    );
}

async fn extract_apply_share_ownership_after_another_apply(object: Object) {
    object.apply("apply-one", list(&["a"])).await;
    object.apply("apply-two", list(&["a", "b"])).await;
    object.extract_apply("apply-one", add("c")).await;
    let one = object.extract("apply-one").await.list.unwrap();
    assert_eq!((one.len(), one.contains(&"b".to_owned())), (2, false));
    assert_eq!(object.extract("apply-two").await, list(&["a", "b"]));
}

async fn apply_two_cant_delete_object_also_owned_by_extract_apply(object: Object) {
    object.apply("apply-one", list(&["a"])).await;
    object.apply("apply-two", list(&["a", "b"])).await;
    object.extract_apply("apply-one", add("c")).await;
    object.apply("apply-two", list(&["b"])).await;
    assert_eq!(object.extract("apply-one").await.list.unwrap().len(), 2);
    assert_eq!(object.extract("apply-two").await, list(&["b"]));
}

async fn extract_apply_empty_structure_list(object: Object) {
    let empty = |spec: &mut SampleSpecApply| spec.list = Some(Vec::new());
    object.extract_apply("apply-one", empty).await;
    object.apply("apply-two", list(&["a", "b"])).await;
    object.extract_apply("apply-one", empty).await;
    let stored = object.apply("apply-two", list(&["b"])).await;
    // Unlike an empty map, an empty list is not owned.
    assert_eq!(SampleApply::extract(&stored, "apply-one").unwrap(), None);
    object
        .check(json!({"list": ["b"]}), &[("apply-two", list(&["b"]))])
        .await;
}

async fn extract_apply_empty_structure_remove_list(object: Object) {
    object
        .extract_apply("apply-one", |spec| spec.list = Some(Vec::new()))
        .await;
    object.apply("apply-two", list(&["a", "b"])).await;
    object
        .extract_apply("apply-one", |spec| spec.list = None)
        .await;
    object
        .check(
            json!({"list": ["a", "b"]}),
            &[("apply-two", list(&["a", "b"]))],
        )
        .await;
}

async fn extract_apply_empty_structure_add_later_list(object: Object) {
    object
        .extract_apply("apply-one", |spec| spec.list = Some(Vec::new()))
        .await;
    object.apply("apply-two", list(&["a"])).await;
    object.extract_apply("apply-one", add("c")).await;
    assert_eq!(object.extract("apply-one").await, list(&["c"]));
    assert_eq!(object.extract("apply-two").await, list(&["a"]));
}

async fn extract_apply_empty_structure_map(object: Object) {
    let empty = |spec: &mut SampleSpecApply| spec.map = Some([].into());
    object.extract_apply("apply-one", empty).await;
    object
        .apply("apply-two", map(&[("a", "c"), ("b", "d")]))
        .await;
    object.extract_apply("apply-one", empty).await;
    object.apply("apply-two", map(&[("b", "d")])).await;
    let managed = [("apply-one", map(&[])), ("apply-two", map(&[("b", "d")]))];
    object.check(json!({"map": {"b": "d"}}), &managed).await;
}

async fn extract_apply_empty_structure_remove_map(object: Object) {
    object
        .extract_apply("apply-one", |spec| spec.map = Some([].into()))
        .await;
    object.apply("apply-two", map(&[("a", "c")])).await;
    object
        .extract_apply("apply-one", |spec| spec.map = None)
        .await;
    object
        .check(
            json!({"map": {"a": "c"}}),
            &[("apply-two", map(&[("a", "c")]))],
        )
        .await;
}

async fn extract_apply_empty_structure_add_later_map(object: Object) {
    object
        .extract_apply("apply-one", |spec| spec.map = Some([].into()))
        .await;
    object.apply("apply-two", map(&[("a", "c")])).await;
    let later = |spec: &mut SampleSpecApply| {
        let entries = spec.map.get_or_insert_default();
        entries.insert("e".to_owned(), "f".to_owned());
    };
    object.extract_apply("apply-one", later).await;
    let managed = [
        ("apply-one", map(&[("e", "f")])),
        ("apply-two", map(&[("a", "c")])),
    ];
    object
        .check(json!({"map": {"a": "c", "e": "f"}}), &managed)
        .await;
}

async fn extract_apply_atomic_list(object: Object) {
    object
        .apply("default", spec().atomic_list(["a", "b"]))
        .await;
    let add = |spec: &mut SampleSpecApply| {
        spec.atomic_list
            .get_or_insert_default()
            .push("c".to_owned());
    };
    object.extract_apply("default", add).await;
    let all = spec().atomic_list(["a", "b", "c"]);
    object
        .check(json!({"atomicList": ["a", "b", "c"]}), &[("default", all)])
        .await;
}

async fn extract_apply_atomic_map(object: Object) {
    object
        .apply("default", spec().atomic_map([("a", "b")]))
        .await;
    let add = |spec: &mut SampleSpecApply| {
        let entries = spec.atomic_map.get_or_insert_default();
        entries.insert("c".to_owned(), "d".to_owned());
    };
    object.extract_apply("default", add).await;
    let all = spec().atomic_map([("a", "b"), ("c", "d")]);
    object
        .check(
            json!({"atomicMap": {"a": "b", "c": "d"}}),
            &[("default", all)],
        )
        .await;
}

/// Sets every field.
fn full() -> SampleSpecApply {
    let disk = DiskApply::default().name("root").size(10);
    let port = PortApply::default().port(80).protocol("UDP").purpose("web");
    let place = Place {
        room: "a".to_owned(),
        shelf: 1,
    };
    spec()
        .list(["a"])
        .map([("a", "b")])
        .atomic_list(["a"])
        .atomic_map([("a", "b")])
        .disks([disk])
        .ports([port])
        .limit(5)
        .named([("one", PartApply::default().count(1).notes(["n"]))])
        .part(PartApply::default().count(2))
        .source(Source::Url("u".to_owned()))
        .place(place)
        .owner("me")
}

async fn every_field_is_applied_and_extracted(object: Object) {
    let stored = object.apply("default", full()).await;
    assert_eq!(object.extract("default").await, full());
    let stored = serde_json::to_value(stored.spec).unwrap();
    assert_eq!(stored, serde_json::to_value(full()).unwrap());
}

async fn what_was_extracted_changes_nothing(object: Object) {
    let first = object.apply("default", full()).await;
    let again = object.extract_apply("default", |_| ()).await;
    assert_eq!(again.resource_version(), first.resource_version());
    assert_eq!(again.managed_fields(), first.managed_fields());
}

async fn a_key_with_a_default_may_be_left_out(object: Object) {
    let port = || PortApply::default().port(80);
    let stored = object.apply("default", spec().ports([port()])).await;
    let ports = stored.spec.and_then(|it| it.ports).unwrap_or_default();
    assert_eq!(ports[0].protocol, "TCP");
    assert_eq!(object.extract("default").await, spec().ports([port()]));
    let again = object.extract_apply("default", |_| ()).await;
    assert_eq!(
        again.metadata.resource_version,
        stored.metadata.resource_version
    );
}

async fn two_managers_share_an_item(object: Object) {
    let disk = || DiskApply::default().name("root");
    object.apply("one", spec().disks([disk().size(10)])).await;
    let other = DiskApply::default().name("data");
    object
        .apply("two", spec().disks([disk().encrypted(true), other.clone()]))
        .await;
    let disks =
        json!({"disks": [{"name": "root", "size": 10, "encrypted": true}, {"name": "data"}]});
    let managed = [
        ("one", spec().disks([disk().size(10)])),
        ("two", spec().disks([disk().encrypted(true), other])),
    ];
    object.check(disks, &managed).await;
    object.extract_apply("two", |spec| spec.disks = None).await;
    object
        .check(json!({"disks": [{"name": "root", "size": 10}]}), &[])
        .await;
}

async fn null_clears(object: Object) {
    object.apply("default", spec().limit(5)).await;
    let cleared = object.apply("default", spec().limit(None)).await;
    assert_eq!(cleared.spec.and_then(|it| it.limit), None);
    let sent = serde_json::to_value(spec().limit(None)).unwrap();
    assert_eq!(sent, json!({"limit": null}));
}

async fn the_status_is_apart(object: Object) {
    object.apply("default", list(&["a"])).await;
    let status = SampleStatusApply::default().result("good");
    let wanted = object.wanted(list(&["b"])).status(status.clone());
    let params = PatchParams::apply("default");
    let stored = object.samples.apply_status(&wanted, &params).await.unwrap();
    let main = SampleApply::extract(&stored, "default").unwrap().unwrap();
    assert_eq!((main.spec, main.status), (Some(list(&["a"])), None));
    let below = SampleApply::extract_subresource(&stored, "default", "status");
    let below = below.unwrap().unwrap();
    assert_eq!((below.spec, below.status), (None, Some(status)));
}

async fn what_others_wrote_stays(object: Object) {
    object.apply("default", list(&["a"])).await;
    object.update(&["a", "b"]).await;
    object.apply("default", spec().owner("me")).await;
    object
        .check(json!({"list": ["b"], "owner": "me"}), &[])
        .await;
}

async fn a_conflict_names_the_other_manager(object: Object) {
    object.apply("one", spec().owner("me")).await;
    let wanted = object.wanted(spec().owner("you"));
    let refused = Applier::new("two")
        .apply(object.samples.api(), &wanted)
        .await;
    match refused {
        Err(ApplyError::Conflict(conflicts)) => {
            assert_eq!(conflicts[0].field, ".spec.owner");
            assert_eq!(conflicts[0].message, "conflict with \"one\"");
        }
        other => panic!("{other:?}"),
    }
}

/// One leaf for every kind of field.
const LEAVES: [fn(&mut SampleSpecApply); 14] = [
    |spec| spec.list.get_or_insert_default().push("a".to_owned()),
    |spec| spec.list.get_or_insert_default().push("b".to_owned()),
    |spec| {
        drop(
            spec.map
                .get_or_insert_default()
                .insert("a".to_owned(), "b".to_owned()),
        )
    },
    |spec| {
        drop(
            spec.map
                .get_or_insert_default()
                .insert("c".to_owned(), "d".to_owned()),
        )
    },
    |spec| spec.atomic_list = Some(vec!["a".to_owned(), "b".to_owned()]),
    |spec| spec.atomic_map = Some([("a".to_owned(), "b".to_owned())].into()),
    |spec| {
        spec.disks
            .get_or_insert_default()
            .push(DiskApply::default().name("x").size(1))
    },
    |spec| {
        spec.disks
            .get_or_insert_default()
            .push(DiskApply::default().name("y").encrypted(true))
    },
    |spec| {
        spec.ports
            .get_or_insert_default()
            .push(PortApply::default().port(80))
    },
    |spec| spec.limit = Some(Some(5)),
    |spec| {
        drop(
            spec.named
                .get_or_insert_default()
                .insert("a".to_owned(), PartApply::default().count(1)),
        )
    },
    |spec| spec.part.get_or_insert_default().notes = Some(vec!["a".to_owned()]),
    |spec| spec.source = Some(Source::Sample("a".to_owned())),
    |spec| {
        spec.place = Some(Place {
            room: "a".to_owned(),
            shelf: 1,
        })
    },
];

fn some_of(chosen: u16) -> SampleSpecApply {
    let mut spec = SampleSpecApply::default();
    for (index, leaf) in LEAVES.iter().enumerate() {
        if chosen & (1 << index) != 0 {
            leaf(&mut spec);
        }
    }
    spec
}

/// Checks that a manager extracts exactly what it applied, whatever others applied before and after, and that applying it again changes
/// nothing.
async fn what_was_applied_is_extracted(object: Object) {
    let mut runner = TestRunner::deterministic();
    let masks = (1_u16..1 << LEAVES.len(), any::<u16>(), any::<u16>());
    for case in 0..40 {
        let (chosen, before, after) = masks.new_tree(&mut runner).unwrap().current();
        let object = Object {
            samples: object.samples.clone(),
            name: format!("{}-{case}", object.name),
        };
        object.apply("before", some_of(before)).await;
        object.apply("me", some_of(chosen)).await;
        let stored = object.apply("after", some_of(after)).await;
        let mut found = object.extract("me").await;
        // Items of merged lists are in the order in which they were added.
        found.list.iter_mut().for_each(|it| it.sort());
        let disks = found.disks.iter_mut();
        disks.for_each(|it| it.sort_by(|a, b| a.name.cmp(&b.name)));
        assert_eq!(found, some_of(chosen), "{before:b} {after:b}");
        let again = object.extract_apply("me", |_| ()).await;
        assert_eq!(again.spec, stored.spec);
        assert_eq!(
            again.metadata.managed_fields,
            stored.metadata.managed_fields
        );
    }
}
