//! Faults to order.

use std::future::pending;

use rand::RngExt;

use crate::driver::DriverError;

/// A call of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `list`
    List,
    /// `status`
    Status,
    /// `create`
    Create,
    /// `set_power`
    SetPower,
    /// `resize`
    Resize,
    /// `delete`
    Delete,
}

impl Operation {
    /// Its name, as in the trait.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Status => "status",
            Self::Create => "create",
            Self::SetPower => "set_power",
            Self::Resize => "resize",
            Self::Delete => "delete",
        }
    }
}

/// The effect of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The request: nothing is done.
    Request,
    /// The answer: it is done, and the caller doesn't learn it.
    Answer,
}

/// Lets calls fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which calls; `None` for all.
    pub operation: Option<Operation>,
    /// How many; `None` for all from now on.
    pub times: Option<u32>,
    /// How likely each of them is to fail, from 0 to 1.
    pub chance: f64,
    /// The part that is lost.
    pub lost: Lost,
    /// The error; `None` for a call that hangs.
    pub error: Option<DriverError>,
}

impl Fault {
    /// The next call of `operation` fails with `error` before anything is done.
    pub fn once(operation: Operation, error: DriverError) -> Self {
        Self {
            operation: Some(operation),
            times: Some(1),
            chance: 1.0,
            lost: Lost::Request,
            error: Some(error),
        }
    }

    /// The error, or never.
    pub(super) async fn fail(&self) -> Result<(), DriverError> {
        match &self.error {
            Some(error) => Err(error.clone()),
            None => pending().await,
        }
    }
}

#[derive(Default)]
pub(super) struct Faults {
    faults: Vec<Fault>,
}

impl Faults {
    pub(super) fn add(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub(super) fn clear(&mut self) {
        self.faults.clear();
    }

    /// The fault that a call of `operation` meets.
    pub(super) fn take(&mut self, operation: Operation) -> Option<Fault> {
        let at = self.faults.iter().position(|fault| {
            fault.operation.is_none_or(|it| it == operation)
                && (fault.chance >= 1.0 || rand::rng().random_range(0.0..1.0) < fault.chance)
        })?;
        let fault = &mut self.faults[at];
        if let Some(times) = &mut fault.times {
            *times = times.saturating_sub(1);
        }
        let taken = fault.clone();
        self.faults.retain(|fault| fault.times != Some(0));
        Some(taken)
    }
}
