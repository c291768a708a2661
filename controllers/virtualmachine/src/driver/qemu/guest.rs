//! QMP queries about the guest.

use serde_json::{Value, json};

use super::Shared;
use super::machine::{Machine, SOCKET};
use super::qmp::{self, QmpError};
use crate::driver::DriverError;

/// Returns the problem, if QEMU's run state is one from which the guest cannot continue.
pub(super) fn broken(word: &str) -> Option<&'static str> {
    match word {
        "internal-error" => Some("QEMU cannot continue the guest"),
        "io-error" => Some("the disk can't be read or written"),
        "guest-panicked" => Some("the guest panicked"),
        "shutdown" => Some("the guest has powered down"),
        _ => None,
    }
}

impl Shared {
    pub(super) async fn ask(
        &self,
        machine: &Machine,
        command: &str,
        arguments: Value,
    ) -> Result<Value, QmpError> {
        let limit = self.timeouts.answer;
        qmp::execute(&machine.folder, SOCKET, command, arguments, limit).await
    }

    pub(super) async fn query_status(&self, machine: &Machine) -> Result<String, DriverError> {
        let answer = self.ask(machine, "query-status", json!({})).await;
        let answer = answer.map_err(|error| machine.failed(error))?;
        let word = answer.get("status").and_then(Value::as_str);
        Ok(word.unwrap_or_default().to_owned())
    }
}
