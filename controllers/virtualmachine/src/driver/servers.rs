//! A driver as the controller sees it.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::leader::Leadership;
use tokio::time::timeout;

use super::{Driver, DriverError, Power, Resources, Server, ServerRef, ServerSpec, Term};

/// A driver in the hands of one process, in one term: no call begins without leadership or goes on after it, and none takes longer
/// than the deadline.
#[derive(Clone)]
pub struct Servers {
    driver: Arc<dyn Driver>,
    term: Term,
    leadership: Option<Leadership>,
    deadline: Duration,
}

impl Servers {
    /// Calls of `driver` by the process `holder`, each within `deadline`.
    pub fn new(driver: Arc<dyn Driver>, holder: impl Into<String>, deadline: Duration) -> Self {
        let term = Term {
            holder: holder.into(),
            epoch: 0,
        };
        Self {
            driver,
            term,
            leadership: None,
            deadline,
        }
    }

    /// The same in the term `leadership`.
    #[must_use]
    pub fn in_term(mut self, leadership: Option<&Leadership>) -> Self {
        self.term.epoch = leadership.map_or(0, Leadership::epoch);
        self.leadership = leadership.cloned();
        self
    }

    /// The driver itself.
    pub fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// See [`Driver::status`].
    ///
    /// # Errors
    ///
    /// The driver's; or leadership is lost, or the deadline is over.
    pub async fn status(&self, server: &ServerRef) -> Result<Option<Server>, DriverError> {
        self.call(self.driver.status(server)).await
    }

    /// See [`Driver::create`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn create(&self, server: &ServerRef, spec: &ServerSpec) -> Result<(), DriverError> {
        self.call(self.driver.create(&self.term, server, spec))
            .await
    }

    /// See [`Driver::set_power`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn set_power(&self, server: &ServerRef, power: Power) -> Result<(), DriverError> {
        self.call(self.driver.set_power(&self.term, server, power))
            .await
    }

    /// See [`Driver::resize`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn resize(
        &self,
        server: &ServerRef,
        resources: &Resources,
    ) -> Result<(), DriverError> {
        self.call(self.driver.resize(&self.term, server, resources))
            .await
    }

    /// See [`Driver::delete`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn delete(&self, server: &ServerRef) -> Result<(), DriverError> {
        self.call(self.driver.delete(&self.term, server)).await
    }

    async fn call<T>(
        &self,
        call: impl Future<Output = Result<T, DriverError>>,
    ) -> Result<T, DriverError> {
        let timed = async {
            timeout(self.deadline, call)
                .await
                .unwrap_or(Err(DriverError::DeadlineExceeded(self.deadline)))
        };
        match &self.leadership {
            None => timed.await,
            Some(leadership) => leadership
                .fence(timed)
                .await
                .unwrap_or(Err(DriverError::LeadershipLost)),
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers")
            .field("driver", &self.driver.name())
            .field("term", &self.term)
            .finish_non_exhaustive()
    }
}
