//! The controller's view of a driver.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::leader::Leadership;
use codegen_runtime::shard::ShardPermit;
use tokio::time::{Instant, timeout};

use super::fencing::Refusal;
use super::{
    Driver, DriverError, DriverMetrics, Fencing, Power, Resources, Server, ServerRef, ServerSpec,
    Term,
};

/// A driver as called by one process in one term: no call starts without leadership or continues
/// after it is lost, and none takes longer than the timeout. Every call is counted. A leader whose
/// epoch the driver rejects takes a higher one.
#[derive(Clone)]
pub struct Servers {
    driver: Arc<dyn Driver>,
    holder: String,
    leadership: Option<Leadership>,
    shard: Option<usize>,
    deadline: Duration,
    metrics: DriverMetrics,
    fencing: Fencing,
}

impl Servers {
    /// Creates a view for calls of `driver` by the process `holder`, with the timeout `deadline`.
    pub fn new(driver: Arc<dyn Driver>, holder: impl Into<String>, deadline: Duration) -> Self {
        Self {
            driver,
            holder: holder.into(),
            leadership: None,
            shard: None,
            deadline,
            metrics: DriverMetrics::default(),
            fencing: Fencing::default(),
        }
    }

    /// Limits the calls to the term `leadership`.
    #[must_use]
    pub fn in_term(mut self, leadership: Option<&Leadership>) -> Self {
        self.leadership = leadership.cloned();
        self
    }

    /// Limits the calls to the term of a shard, for the servers of its machines.
    #[must_use]
    pub fn in_shard(mut self, permit: &ShardPermit) -> Self {
        self.shard = Some(permit.part());
        self.in_term(Some(permit.term()))
    }

    /// Reports the results of calls to `metrics`, and to `fencing` whether the driver accepts
    /// them.
    #[must_use]
    pub fn telling(mut self, metrics: &DriverMetrics, fencing: &Fencing) -> Self {
        (self.metrics, self.fencing) = (metrics.clone(), fencing.clone());
        self
    }

    /// The driver itself.
    pub fn driver(&self) -> &Arc<dyn Driver> {
        &self.driver
    }

    /// The metrics of the calls.
    pub fn metrics(&self) -> &DriverMetrics {
        &self.metrics
    }

    /// Ensures that the driver accepts this process, before its first change: a leader takes an
    /// epoch above the newest that has called, and a process without election adopts the newest.
    ///
    /// # Errors
    ///
    /// If the driver cannot be asked, or leadership is lost.
    pub async fn enter(&self) -> Result<(), DriverError> {
        let newest = self
            .call("newest_epoch", self.driver.newest_epoch())
            .await?;
        match &self.leadership {
            None => self.fencing.adopt(newest),
            Some(leadership) if leadership.epoch() <= newest => {
                let epoch = leadership.epoch();
                tracing::warn!(
                    epoch,
                    newest,
                    "the driver knows a newer epoch than the Lease did; taking a higher one"
                );
                self.fencing.outrank(leadership, self.shard, newest).await;
                leadership
                    .check()
                    .map_err(|_| DriverError::LeadershipLost)?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// See [`Driver::list`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn list(&self) -> Result<Vec<ServerRef>, DriverError> {
        self.call("list", self.driver.list()).await
    }

    /// See [`Driver::status`].
    ///
    /// # Errors
    ///
    /// The driver's error, or if leadership is lost, or the call times out.
    pub async fn status(&self, server: &ServerRef) -> Result<Option<Server>, DriverError> {
        self.call("status", self.driver.status(server)).await
    }

    /// See [`Driver::create`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn create(&self, server: &ServerRef, spec: &ServerSpec) -> Result<(), DriverError> {
        let term = self.term();
        self.call("create", self.driver.create(&term, server, spec))
            .await
    }

    /// See [`Driver::set_power`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn set_power(&self, server: &ServerRef, power: Power) -> Result<(), DriverError> {
        let term = self.term();
        self.call("set_power", self.driver.set_power(&term, server, power))
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
        let term = self.term();
        self.call("resize", self.driver.resize(&term, server, resources))
            .await
    }

    /// See [`Driver::delete`].
    ///
    /// # Errors
    ///
    /// As [`status`](Self::status).
    pub async fn delete(&self, server: &ServerRef) -> Result<(), DriverError> {
        let term = self.term();
        self.call("delete", self.driver.delete(&term, server)).await
    }

    /// Returns the caller of a call made now.
    fn term(&self) -> Term {
        Term {
            holder: self.holder.clone(),
            shard: self.shard,
            epoch: self.fencing.epoch(self.leadership.as_ref()),
        }
    }

    async fn call<T>(
        &self,
        name: &'static str,
        call: impl Future<Output = Result<T, DriverError>>,
    ) -> Result<T, DriverError> {
        let started = Instant::now();
        let timed = async {
            timeout(self.deadline, call)
                .await
                .unwrap_or(Err(DriverError::DeadlineExceeded(self.deadline)))
        };
        let result = match &self.leadership {
            None => timed.await,
            Some(leadership) => leadership
                .fence(timed)
                .await
                .unwrap_or(Err(DriverError::LeadershipLost)),
        };
        let word = result.as_ref().map_or_else(DriverError::as_str, |_| "ok");
        self.metrics
            .ended(self.driver.name(), name, word, started.elapsed());
        if let Err(DriverError::Stale { epoch, newest }) = &result {
            let refusal = Refusal {
                epoch: *epoch,
                newest: *newest,
            };
            self.fencing
                .refused(refusal, self.shard, self.leadership.as_ref());
        }
        result
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Servers")
            .field("driver", &self.driver.name())
            .field("term", &self.term())
            .finish_non_exhaustive()
    }
}
