//! Kinds in any module of any crate of a workspace have clients, listers, informers, apply
//! configurations and validation, without files beside their types.

use codegen_runtime::apply::ApplyConfiguration as _;
use codegen_runtime::kube::api::{ListParams, PatchParams, PostParams};
use codegen_runtime::validation::Validate as _;
use golden_kinds_in_file as in_file;
use golden_kinds_in_groups as in_groups;
use golden_kinds_in_lib::{Note, NoteSpec, NoteStatus, Style, generated as notes};
use golden_kinds_in_member::generated as in_member;
use tokio_util::sync::CancellationToken;

fn note(text: &str) -> Note {
    let spec = NoteSpec {
        text: text.to_owned(),
        style: Some(Style::default()),
    };
    let mut note = Note::new("first", spec);
    note.metadata.namespace = Some("default".to_owned());
    note
}

#[tokio::test]
async fn a_kind_in_lib_rs_has_clients_and_listers() {
    let (clientset, _) = notes::clientset::fake::Clientset::with_objects([note("Hello")]);
    let client = clientset.notes_v1().notes("default");
    let mut found = client.get("first").await.unwrap();
    found.status = Some(NoteStatus { read: true });
    let params = PostParams::default();
    let written = client.update_status(&found, &params).await.unwrap();
    assert_eq!(written.status, Some(NoteStatus { read: true }));

    let factory = notes::informers::SharedInformerFactory::builder(clientset).build();
    let lister = factory.notes().v1().notes().lister().unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(
        lister.notes("default").get("first").unwrap().spec.text,
        "Hello"
    );
    stop.cancel();
    factory.shutdown().await;
}

#[tokio::test]
async fn a_kind_in_lib_rs_is_applied() {
    use notes::applyconfiguration::notes::v1::{NoteApply, NoteSpecApply};

    let (clientset, _) = notes::clientset::fake::Clientset::empty();
    let client = clientset.notes_v1().notes("default");
    let wanted = NoteApply::new("first", "default").spec(NoteSpecApply::default().text("Hello"));
    let params = PatchParams::apply("test");
    let stored = client.apply(&wanted, &params).await.unwrap();
    assert_eq!(stored.spec.text, "Hello");
    let applied = NoteApply::extract(&stored, "test").unwrap().unwrap();
    assert_eq!(applied, wanted);
}

#[test]
fn a_kind_in_lib_rs_is_validated() {
    assert!(note("Hello").validate().is_ok());
    let error = note("").validate().unwrap_err().to_string();
    assert!(error.contains("spec.text"), "{error}");
}

#[tokio::test]
async fn kinds_in_files_have_clients() {
    use in_file::cabins::v1alpha1::cabin::{Cabin, CabinSpec};
    use in_file::generated::apis::trails::v1::{
        CrdLimits, Hut, HutSpec, Trail, TrailSpec, VERSION,
    };

    assert_eq!(VERSION, "v1");
    let (clientset, _) = in_file::generated::clientset::fake::Clientset::empty();
    let params = PostParams::default();
    let trail = Trail::new(
        "north",
        TrailSpec {
            limits: CrdLimits { people: 9 },
        },
    );
    let trails = clientset.trails_v1().trails();
    let created = trails.create(&trail, &params).await.unwrap();
    assert_eq!(created.spec, trail.spec);
    let limits = serde_json::from_value(serde_json::json!({"beds": 4})).unwrap();
    let hut = Hut::new("top", HutSpec { limits });
    let huts = clientset.trails_v1().huts("default");
    huts.create(&hut, &params).await.unwrap();
    assert_eq!(huts.get("top").await.unwrap().spec.limits.beds, 4);
    let cabin = Cabin::new("small", CabinSpec { rooms: 1 });
    let cabins = clientset.cabins_v1alpha1().cabins("default");
    cabins.create(&cabin, &params).await.unwrap();
    assert_eq!(cabins.get("small").await.unwrap().spec.rooms, 1);
}

fn ship(masts: u16) -> in_groups::fleet::Ship {
    let home = in_groups::Berth { number: 3 };
    let spec = in_groups::fleet::ShipSpec { home, masts };
    let mut ship = in_groups::fleet::Ship::new("vasa", spec);
    ship.metadata.namespace = Some("default".to_owned());
    ship
}

#[tokio::test]
async fn kinds_of_several_groups_and_versions_have_clients() {
    use in_groups::port::{Port, PortSpec};

    let (clientset, _) = in_groups::generated::clientset::fake::Clientset::empty();
    let params = PostParams::default();
    let ships = clientset.fleet_v1().ships("default");
    ships.create(&ship(2), &params).await.unwrap();
    let older = clientset.fleet_v1beta1().ships("default");
    let listed = older.list(&ListParams::default()).await.unwrap();
    assert_eq!(listed.items[0].spec.masts, 2);
    let port = Port::new("north", PortSpec { berths: Vec::new() });
    let ports = clientset.ports_v1().ports();
    assert_eq!(ports.create(&port, &params).await.unwrap().spec, port.spec);
}

#[tokio::test]
async fn kinds_of_another_member_have_clients_and_listers() {
    let (clientset, _) = in_member::clientset::fake::Clientset::with_objects([ship(3)]);
    let ships = clientset.fleet_v1().ships("default");
    assert_eq!(ships.get("vasa").await.unwrap().spec, ship(3).spec);
    let factory = in_member::informers::SharedInformerFactory::builder(clientset).build();
    let lister = factory.fleet().v1().ships().lister().unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert!(lister.ships("default").get("vasa").is_ok());
    stop.cancel();
    factory.shutdown().await;
}

/// Only their own crate may implement traits for them.
#[test]
fn kinds_of_another_member_are_validated_by_functions() {
    let validator = in_member::apis::fleet::v1::ship_validator();
    let check = |masts| validator.validate(serde_json::to_value(ship(masts)).unwrap());
    assert!(check(3).is_ok());
    let error = check(0).unwrap_err().to_string();
    assert!(error.contains("spec.masts"), "{error}");
    assert_eq!(ship(0).validate().unwrap_err().to_string(), error);
}
