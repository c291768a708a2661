//! Kinds declared with kube's derive get the same clients.

use codegen_runtime::client::Scale;
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::CustomResourceExt as _;
use codegen_runtime::kube::api::{ListParams, PostParams};
use codegen_runtime::scheme::Scheme;
use golden_kubederive::apis::documents::v1::{
    Card, CardFields, Document, DocumentSpec, Plate, Press, Shelf, ShelfSpec,
    zz_generated_register as register,
};
use golden_kubederive::generated::clientset::fake;
use golden_kubederive::generated::informers::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

fn document() -> Document {
    let spec = DocumentSpec {
        title: "Handbook".to_owned(),
        copies: 2,
        content: None,
    };
    let mut document = Document::new("handbook", spec);
    document.metadata.namespace = Some("default".to_owned());
    document
}

#[tokio::test]
async fn the_client_works() {
    let (clientset, _) = fake::Clientset::with_objects([document()]);
    let documents = clientset.documents_v1().documents("default");
    assert_eq!(
        documents.get("handbook").await.unwrap().spec,
        document().spec
    );
    let scale: Scale = documents.get_scale("handbook").await.unwrap();
    assert_eq!(scale.spec.and_then(|spec| spec.replicas), Some(2));
    let shelves = clientset.documents_v1().shelves();
    let shelf = Shelf::new("left", ShelfSpec { size: 9 });
    shelves
        .create(&shelf, &PostParams::default())
        .await
        .unwrap();
    assert_eq!(
        shelves.list(&ListParams::default()).await.unwrap().items[0]
            .spec
            .size,
        9
    );
}

#[tokio::test]
async fn fields_may_stand_at_the_root() {
    let fields = CardFields {
        text: "Hello".to_owned(),
    };
    let card = Card::new("first", fields);
    let (clientset, _) = fake::Clientset::empty();
    let cards = clientset.documents_v1().cards("default");
    let created = cards.create(&card, &PostParams::default()).await.unwrap();
    assert_eq!(created.spec, card.spec);
    let written = serde_json::to_value(&created).unwrap();
    assert_eq!(written["text"], "Hello");
    assert_eq!(cards.get("first").await.unwrap(), created);
}

#[tokio::test]
async fn the_lister_reads_the_cache() {
    let (clientset, _) = fake::Clientset::with_objects([document()]);
    let factory = SharedInformerFactory::builder(clientset).build();
    let lister = factory.documents().v1().documents().lister().unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert!(lister.documents("default").get("handbook").is_ok());
    stop.cancel();
    factory.shutdown().await;
}

#[test]
fn the_scheme_decodes_them() {
    let mut scheme = Scheme::new();
    register::add_to_scheme(&mut scheme).unwrap();
    let text = serde_json::to_string(&document()).unwrap();
    assert!(scheme.decode(text).unwrap().is::<Document>());
}

/// kube runs schemars, while the generator reads the attributes.
#[test]
fn the_manifest_says_what_kube_makes_of_the_attributes() {
    let written = include_str!(
        "../../../expected/kubederive/config/crd/bases/documents.example.com_presses.yaml"
    );
    let of_spec = |crd: CustomResourceDefinition| {
        let version = crd.spec.versions.into_iter().next();
        let schema = version.and_then(|version| version.schema?.open_api_v3_schema);
        let schema = serde_json::to_value(schema).unwrap();
        let rules = schema["x-kubernetes-validations"].clone();
        (schema["properties"]["spec"].clone(), rules)
    };
    let written: CustomResourceDefinition = serde_saphyr::from_str(written).unwrap();
    let (spec, rules) = of_spec(written);
    assert_eq!((spec.clone(), rules), of_spec(Press::crd()));
    assert_eq!(spec["properties"]["pages"]["maximum"], 2000.0);
}

/// kube runs the code, while the generator reads it.
#[test]
fn the_manifest_says_what_kube_makes_of_schemas_in_code() {
    let written = include_str!(
        "../../../expected/kubederive/config/crd/bases/documents.example.com_plates.yaml"
    );
    let schema_of = |crd: CustomResourceDefinition| {
        let version = crd.spec.versions.into_iter().next();
        let schema = version.and_then(|version| version.schema?.open_api_v3_schema);
        let mut schema = serde_json::to_value(schema).unwrap();
        for implied in ["apiVersion", "kind"] {
            schema["properties"]
                .as_object_mut()
                .unwrap()
                .remove(implied);
        }
        // schemars names the root.
        schema.as_object_mut().unwrap().remove("title");
        schema
    };
    let written: CustomResourceDefinition = serde_saphyr::from_str(written).unwrap();
    let (written, made) = (schema_of(written), schema_of(Plate::crd()));
    assert_eq!(
        written["properties"]["spec"]["properties"]["uses"]["default"],
        0
    );
    assert_eq!(
        written["properties"]["spec"]["properties"]["prints"].get("default"),
        None
    );
    assert_eq!(written, made);
}
