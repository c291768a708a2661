//! How many extra and how many unavailable pods a rollout may have.

use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// The desired size of a deployment, and how far a rollout may deviate from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// `spec.replicas`.
    pub replicas: i32,
    /// The number of pods allowed above `replicas`.
    pub surge: i32,
    /// The number of pods that may be unavailable; at most `replicas`.
    pub unavailable: i32,
}

impl Limits {
    /// Returns the limits of `deployment`. Percentages of maxSurge are rounded up, those of
    /// maxUnavailable down. If both resolve to zero, one pod may be unavailable, since the rollout
    /// could not progress otherwise. Without a rolling update both are zero.
    pub fn of(deployment: &Deployment) -> Self {
        let replicas = replicas(deployment);
        let none = Self {
            replicas,
            surge: 0,
            unavailable: 0,
        };
        if !is_rolling(deployment) {
            return none;
        }
        let rolling = deployment
            .spec
            .strategy
            .as_ref()
            .and_then(|strategy| strategy.rolling_update.as_ref());
        let scaled = |value: Option<&IntOrString>, up| {
            value
                .and_then(|value| scale(value, replicas, up))
                .unwrap_or(0)
        };
        let surge = scaled(rolling.and_then(|rolling| rolling.max_surge.as_ref()), true);
        let unavailable = scaled(
            rolling.and_then(|rolling| rolling.max_unavailable.as_ref()),
            false,
        );
        let unavailable = if surge == 0 && unavailable == 0 {
            1
        } else {
            unavailable
        };
        Self {
            surge,
            unavailable: unavailable.min(replicas),
            ..none
        }
    }

    /// The maximum number of pods.
    pub fn most(self) -> i32 {
        self.replicas.saturating_add(self.surge)
    }

    /// The minimum number of available pods.
    pub fn fewest_available(self) -> i32 {
        self.replicas - self.unavailable
    }
}

/// `spec.replicas`, by default 1.
pub fn replicas(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.unwrap_or(1).max(0)
}

/// Whether the strategy is RollingUpdate, the default.
pub fn is_rolling(deployment: &Deployment) -> bool {
    let strategy = deployment.spec.strategy.as_ref();
    strategy
        .and_then(|strategy| strategy.type_.as_deref())
        .is_none_or(|name| name == "RollingUpdate")
}

/// Resolves an absolute number or a percentage of `total`; `None` if the value is malformed or
/// negative.
fn scale(value: &IntOrString, total: i32, round_up: bool) -> Option<i32> {
    match value {
        IntOrString::Int(number) => Some(*number).filter(|number| *number >= 0),
        IntOrString::String(text) => {
            let percent: u32 = text.strip_suffix('%')?.parse().ok()?;
            let hundredths = u64::from(percent) * u64::try_from(total).ok()?;
            let rounded = if round_up {
                hundredths.div_ceil(100)
            } else {
                hundredths / 100
            };
            i32::try_from(rounded).ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(replicas: i32, surge: Value, unavailable: Value, expected: (i32, i32)) {
        let deployment: Deployment = serde_json::from_value(json!({"spec": {"replicas": replicas, "selector": {}, "template": {},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}}))
        .expect("a deployment");
        let limits = Limits::of(&deployment);
        assert_eq!(
            (limits.surge, limits.unavailable),
            expected,
            "{replicas} {surge} {unavailable}"
        );
    }

    #[test]
    fn surge_is_rounded_up_and_unavailable_down() {
        check(10, json!("25%"), json!("25%"), (3, 2));
        check(3, json!("25%"), json!("25%"), (1, 0));
        check(4, json!("25%"), json!("25%"), (1, 1));
        check(10, json!(2), json!("0%"), (2, 0));
        check(10, json!("100%"), json!("100%"), (10, 10));
        check(3, json!("150%"), json!(0), (5, 0));
    }

    #[test]
    fn one_pod_may_be_missing_if_nothing_else_can_move() {
        check(3, json!(0), json!("25%"), (0, 1));
        check(3, json!(0), json!(0), (0, 1));
    }

    #[test]
    fn no_more_pods_can_be_missing_than_there_are() {
        check(2, json!(0), json!(5), (0, 2));
        check(0, json!("25%"), json!("25%"), (0, 0));
    }

    #[test]
    fn what_is_no_number_is_zero() {
        check(10, json!("x"), json!("5"), (0, 1));
        check(10, json!(-1), json!("-5%"), (0, 1));
    }

    #[test]
    fn recreate_has_no_limits() {
        let deployment: Deployment = serde_json::from_value(
            json!({"spec": {"replicas": 3, "selector": {}, "template": {}, "strategy": {"type": "Recreate"}}}))
        .expect("a deployment");
        assert_eq!(
            Limits::of(&deployment),
            Limits {
                replicas: 3,
                surge: 0,
                unavailable: 0
            }
        );
    }
}
