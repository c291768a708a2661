//! Clients of kinds declared with kube's derive, with the CRDs that it generates.

use golden_kubederive::apis::documents::v1::{
    Document, DocumentSpec, DocumentStatus, Shelf, ShelfSpec,
};
use golden_kubederive::generated::clientset::Clientset;
use golden_kubederive::generated::informers::SharedInformerFactory;
use kube::api::ListParams;
use kube::{Client, CustomResourceExt};

use crate::common::{
    delete_collection, every_verb, informer_follows, named, post, scale_verbs, status_verbs,
};
use crate::definitions::Definition;
use crate::harness::cases;
use crate::support::namespace;

cases![documents, shelves];

async fn documents(client: Client) {
    Definition::of(Document::crd()).install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = Clientset::new(client);
    let documents = || clientset.documents_v1().documents(&namespace);
    let titled = |title: &str| {
        let spec = DocumentSpec {
            title: title.to_owned(),
            copies: 2,
            content: None,
        };
        Document::new("document", spec)
    };
    let document = || titled("Handbook");
    let status = || {
        Some(DocumentStatus {
            copies: 1,
            conditions: Vec::new(),
        })
    };
    every_verb!(documents(), document());
    delete_collection!(documents(), document());
    status_verbs!(documents(), document(), status(), {"copies": 2});
    documents()
        .create(&named(document(), "scaled"), &post())
        .await
        .unwrap();
    scale_verbs!(documents(), "scaled");
    assert_eq!(documents().get("scaled").await.unwrap().spec.copies, 3);
    documents()
        .create(&named(titled("Atlas"), "atlas"), &post())
        .await
        .unwrap();
    let selected = ListParams::default().fields("spec.title=Atlas");
    assert_eq!(documents().list(&selected).await.unwrap().items.len(), 1);
    informer_follows!(
        SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.documents().v1().documents(),
        documents(),
        document(),
    );
}

async fn shelves(client: Client) {
    Definition::of(Shelf::crd()).install(&client).await;
    let clientset = Clientset::new(client);
    let shelves = || clientset.documents_v1().shelves();
    let shelf = || Shelf::new("shelf", ShelfSpec { size: 9 });
    every_verb!(shelves(), shelf());
    informer_follows!(
        SharedInformerFactory,
        clientset,
        "",
        |factory| factory.documents().v1().shelves(),
        shelves(),
        shelf(),
    );
}
