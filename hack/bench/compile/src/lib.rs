//! A controller that uses one of the many kinds of a crate: client, lister, informer and work
//! queue.

use std::error::Error;

use codegen_runtime::controller::{Action, Controller, Request, reconcile_fn};
use codegen_runtime::kube;
use codegen_runtime::kube::api::{ListParams, PostParams};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;
use whole::apis::kubevirt::v1::VirtualMachine;
use whole::generated::clientset::Clientset;
use whole::generated::informers::SharedInformerFactory;

/// Runs until `stop`: labels virtual machines and writes their status.
pub fn run(
    client: kube::Client,
    stop: CancellationToken,
) -> BoxFuture<'static, Result<(), Box<dyn Error + Send + Sync>>> {
    async move {
        let clientset = Clientset::new(client);
        let factory = SharedInformerFactory::builder(clientset.clone()).build();
        let machines = clientset.kubevirt_v1().virtual_machines("default");
        machines.list(&ListParams::default()).await?;
        let lister = factory.kubevirt().v1().virtual_machines().lister()?;
        let reconcile = reconcile_fn(move |request: Request| {
            let (clientset, lister) = (clientset.clone(), lister.clone());
            async move {
                let (namespace, name) = request.as_str().split_once('/').unwrap_or_default();
                let Ok(machine) = lister.virtual_machines(namespace).get(name) else {
                    return Ok(Action::done());
                };
                let machines = clientset.kubevirt_v1().virtual_machines(namespace);
                let mut machine = VirtualMachine::clone(&machine);
                let labels = machine.metadata.labels.get_or_insert_default();
                labels.insert("seen".to_owned(), "true".to_owned());
                let machine = machines.update(&machine, &PostParams::default()).await?;
                machines
                    .update_status(&machine, &PostParams::default())
                    .await?;
                machines.get(name).await?;
                Ok::<_, kube::Error>(Action::done())
            }
        });
        let controller = Controller::builder("machines", &factory)
            .for_::<VirtualMachine>()
            .build(reconcile)?;
        factory.start(&stop);
        controller.run(&stop, None).await?;
        Ok(())
    }
    .boxed()
}
