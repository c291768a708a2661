//! Parses the annotations that control a simulated pod.

use std::time::Duration;

use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use jiff::SignedDuration;

use super::ORDERS;

/// The annotations of one pod. Malformed ones are ignored.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Orders {
    pub(super) ready_after: Option<Delay>,
    pub(super) not_ready: bool,
    pub(super) exit: Option<String>,
    pub(super) restarts: i32,
    pub(super) stop_after: Option<Delay>,
    pub(super) node: Option<String>,
    pub(super) hold: bool,
}

/// A delay, possibly endless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delay {
    After(Duration),
    Never,
}

impl Orders {
    pub(super) fn of(pod: &Pod) -> Self {
        let mut orders = Self::default();
        for (key, value) in pod.metadata.annotations.iter().flatten() {
            let Some(order) = key.strip_prefix(ORDERS) else {
                continue;
            };
            match order {
                "ready-after" => orders.ready_after = Delay::read(value),
                "ready" => orders.not_ready = value == "false",
                "exit" => {
                    orders.exit = Some(value.clone())
                        .filter(|phase| matches!(phase.as_str(), "Failed" | "Succeeded"))
                }
                "restarts" => orders.restarts = value.parse().unwrap_or(0),
                "stop-after" => orders.stop_after = Delay::read(value),
                "node" => orders.node = Some(value.clone()),
                "hold" => orders.hold = value == "true",
                _ => {}
            }
        }
        orders
    }
}

impl Delay {
    fn read(text: &str) -> Option<Self> {
        if text == "never" {
            return Some(Self::Never);
        }
        let duration: SignedDuration = text.parse().ok()?;
        Duration::try_from(duration).ok().map(Self::After)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn orders_are_read_from_annotations() {
        let pod: Pod = serde_json::from_value(json!({"metadata": {"annotations": {
            "simulated.kubelet/ready-after": "1500ms", "simulated.kubelet/ready": "false", "simulated.kubelet/exit": "Failed",
            "simulated.kubelet/restarts": "3", "simulated.kubelet/stop-after": "never", "simulated.kubelet/node": "a",
            "simulated.kubelet/hold": "true", "other": "x"}}}))
        .expect("a pod");
        let expected = Orders {
            ready_after: Some(Delay::After(Duration::from_millis(1500))),
            not_ready: true,
            exit: Some("Failed".to_owned()),
            restarts: 3,
            stop_after: Some(Delay::Never),
            node: Some("a".to_owned()),
            hold: true,
        };
        assert_eq!(Orders::of(&pod), expected);
    }

    #[test]
    fn what_is_malformed_is_no_order() {
        let pod: Pod = serde_json::from_value(json!({"metadata": {"annotations": {
            "simulated.kubelet/ready-after": "soon", "simulated.kubelet/exit": "Exploded", "simulated.kubelet/restarts": "many"}}}))
        .expect("a pod");
        assert_eq!(Orders::of(&pod), Orders::default());
    }
}
