use codegen_runtime::leader::{
    LeaderElectionConfig, LeaderElectionConfigError as Error, LeaderElector,
};

use crate::control::secs;
use crate::control::server::Server;

fn check(change: impl FnOnce(&mut LeaderElectionConfig), expected: Result<(), Error>) {
    let mut config = LeaderElectionConfig::new("default", "lock", "me");
    change(&mut config);
    assert_eq!(config.validate(), expected);
}

#[tokio::test]
async fn the_configuration_is_validated() {
    check(|_| {}, Ok(()));
    check(
        |config| config.lease_duration = secs(10),
        Err(Error::LeaseTooShort),
    );
    check(
        |config| config.lease_duration = secs(9),
        Err(Error::LeaseTooShort),
    );
    check(
        |config| config.retry_period = secs(9),
        Err(Error::DeadlineTooShort),
    );
    check(|config| config.retry_period = secs(8), Ok(()));
    check(
        |config| config.lease_duration = secs(0),
        Err(Error::Zero("leaseDuration")),
    );
    check(
        |config| config.renew_deadline = secs(0),
        Err(Error::Zero("renewDeadline")),
    );
    check(
        |config| config.retry_period = secs(0),
        Err(Error::Zero("retryPeriod")),
    );
    check(
        |config| config.identity.clear(),
        Err(Error::Empty("identity")),
    );
    check(
        |config| config.lease_duration = std::time::Duration::MAX,
        Err(Error::LeaseTooLong),
    );
    check(
        |config| config.retry_period = std::time::Duration::MAX,
        Err(Error::DeadlineTooShort),
    );
    check(|config| config.name.clear(), Err(Error::Empty("name")));
    check(
        |config| config.namespace.clear(),
        Err(Error::Empty("namespace")),
    );
    let config = LeaderElectionConfig::new("default", "lock", "");
    assert!(LeaderElector::new(Server::new().client(), config).is_err());
}

#[test]
fn the_default_times_are_15_10_and_2_seconds() {
    let config = LeaderElectionConfig::new("default", "lock", "me");
    assert_eq!(
        (
            config.lease_duration,
            config.renew_deadline,
            config.retry_period
        ),
        (secs(15), secs(10), secs(2))
    );
}
