//! Fault injection.

use std::future::pending;

use rand::RngExt;

use crate::driver::DriverError;

/// A driver call.
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
    /// The name of the trait method.
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

/// The part of a failing call that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The request: the call has no effect.
    Request,
    /// The response: the call takes effect, but the caller is not told.
    Answer,
}

/// A fault to inject.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The calls that fail; `None` for all.
    pub operation: Option<Operation>,
    /// How many calls may fail; `None` for any number.
    pub times: Option<u32>,
    /// The probability that a call fails, from 0 to 1.
    pub chance: f64,
    /// The part of the call that is lost.
    pub lost: Lost,
    /// The error; `None` for a call that hangs.
    pub error: Option<DriverError>,
}

impl Fault {
    /// Makes the next call of `operation` fail with `error` before it takes effect.
    pub fn once(operation: Operation, error: DriverError) -> Self {
        Self {
            operation: Some(operation),
            times: Some(1),
            chance: 1.0,
            lost: Lost::Request,
            error: Some(error),
        }
    }

    /// Returns the error, or never returns.
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

    /// Takes the fault for a call of `operation`, if any.
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
