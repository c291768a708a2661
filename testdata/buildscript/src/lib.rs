//! A crate whose Kubernetes API is generated at build time: see `build.rs`.

pub mod stop;

/// The build script's output.
pub mod kubernetes {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

#[cfg(test)]
mod tests {
    use codegen_runtime::kube::{Client, Resource};

    use crate::kubernetes::{
        apis::cloudnative::v1alpha1::VirtualMachine,
        generated::{clientset::Clientset, informers::SharedInformerFactory},
    };

    #[test]
    fn the_types_carry_objects() {
        let object = serde_json::json!({
            "apiVersion": "cloudnative.czs/v1alpha1",
            "kind": "VirtualMachine",
            "metadata": { "name": "test-vm", "namespace": "default" },
            "spec": { "action": "active", "resource": { "cpu": 2, "memory": "4G", "rootDisk": "40G" } },
        });
        let machine: VirtualMachine = serde_json::from_value(object.clone()).unwrap();
        assert_eq!(machine.spec.action, "active");
        assert_eq!(serde_json::to_value(&machine).unwrap(), object);
        assert_eq!(VirtualMachine::plural(&()), "virtualmachines");
    }

    #[test]
    fn the_clients_are_typed() {
        // Only has to compile: no server is called.
        fn uses(client: Client) {
            let clientset = Clientset::new(client);
            let _machines = clientset.cloudnative_v1alpha1().virtual_machines("default");
            let _factory = SharedInformerFactory::builder(clientset);
        }
        let _ = uses;
    }
}
