//! Networks in memory, with injectable faults.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;

use super::{Addresses, Backend, BackendError, BackendFuture, Observed, Owner};

/// Networks in memory. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Simulated(Arc<Mutex<State>>);

/// The content of the backend, for tests.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Networks, by id.
    pub networks: BTreeMap<String, SimulatedNetwork>,
    /// How many were created in total.
    pub created: u64,
    /// How often each call was made, including failed ones.
    pub calls: BTreeMap<Call, u64>,
    faults: Vec<Fault>,
}

/// A network in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedNetwork {
    /// The object that it belongs to.
    pub owner: Owner,
    /// Its addresses; `None` if its creation was interrupted.
    pub addresses: Option<(IpNet, IpAddr)>,
}

/// A backend call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Call {
    /// [`Backend::get`].
    Get,
    /// [`Backend::create`].
    Create,
    /// [`Backend::set_gateway`].
    SetGateway,
    /// [`Backend::delete`].
    Delete,
}

/// How far a failing call proceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The call has no effect.
    Nothing,
    /// A creation leaves a network without addresses; other calls have no effect.
    Half,
    /// The call takes full effect, but its response is lost.
    Everything,
}

/// A fault to inject.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The call that fails; `None` for any.
    pub call: Option<Call>,
    /// How often it fails; `None` until [`Simulated::clear_faults`].
    pub times: Option<u32>,
    /// How far the call proceeds.
    pub reach: Reach,
    /// The result of the call.
    pub error: BackendError,
}

impl Simulated {
    /// Creates a backend without networks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a copy of the current content.
    pub fn state(&self) -> State {
        self.0.lock().clone()
    }

    /// Injects a fault.
    pub fn fault(&self, fault: Fault) {
        self.0.lock().faults.push(fault);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.0.lock().faults.clear();
    }

    /// Loses the network of the object `name`, as if someone had deleted it at the backend.
    pub fn lose(&self, name: &str) {
        let mut state = self.0.lock();
        state
            .networks
            .retain(|_, network| network.owner.name != name);
    }

    /// Counts a call, and executes it as far as the faults permit.
    fn call<T>(
        &self,
        call: Call,
        half: impl FnOnce(&mut State),
        whole: impl FnOnce(&mut State) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let mut state = self.0.lock();
        *state.calls.entry(call).or_default() += 1;
        match state.next_fault(call) {
            None => whole(&mut state),
            Some((Reach::Nothing, error)) => Err(error),
            Some((Reach::Half, error)) => {
                half(&mut state);
                Err(error)
            }
            Some((Reach::Everything, error)) => {
                whole(&mut state)?;
                Err(error)
            }
        }
    }
}

impl State {
    fn next_fault(&mut self, call: Call) -> Option<(Reach, BackendError)> {
        let at = self
            .faults
            .iter()
            .position(|fault| fault.call.is_none_or(|it| it == call))?;
        let fault = self.faults.get_mut(at)?;
        let found = (fault.reach, fault.error.clone());
        if let Some(times) = &mut fault.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.faults.remove(at);
            }
        }
        Some(found)
    }

    fn of(&mut self, owner: &Owner) -> Option<(&String, &mut SimulatedNetwork)> {
        self.networks
            .iter_mut()
            .find(|(_, network)| network.owner.uid == owner.uid)
    }

    fn find_or_make(&mut self, owner: &Owner) -> String {
        if let Some((id, _)) = self.of(owner) {
            return id.clone();
        }
        self.created += 1;
        let id = format!("net-{}", owner.uid);
        let network = SimulatedNetwork {
            owner: owner.clone(),
            addresses: None,
        };
        self.networks.insert(id.clone(), network);
        id
    }
}

fn observed(id: &str, network: &SimulatedNetwork) -> Observed {
    Observed {
        id: id.to_owned(),
        cidr: network.addresses.map(|(cidr, _)| cidr),
        gateway: network.addresses.map(|(_, gateway)| gateway),
    }
}

impl Backend for Simulated {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn get<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, Option<Observed>> {
        Box::pin(async move {
            self.call(
                Call::Get,
                |_| {},
                |state| Ok(state.of(owner).map(|(id, network)| observed(id, network))),
            )
        })
    }

    fn create<'a>(&'a self, owner: &'a Owner, addresses: Addresses) -> BackendFuture<'a, Observed> {
        Box::pin(async move {
            let half = |state: &mut State| drop(state.find_or_make(owner));
            self.call(Call::Create, half, |state| {
                let id = state.find_or_make(owner);
                if let Some((_, network)) = state.of(owner) {
                    network
                        .addresses
                        .get_or_insert((addresses.cidr, addresses.gateway));
                }
                Ok(Observed {
                    id,
                    cidr: Some(addresses.cidr),
                    gateway: Some(addresses.gateway),
                })
            })
        })
    }

    fn set_gateway<'a>(&'a self, owner: &'a Owner, gateway: IpAddr) -> BackendFuture<'a, ()> {
        Box::pin(async move {
            self.call(
                Call::SetGateway,
                |_| {},
                |state| {
                    if let Some((_, network)) = state.of(owner)
                        && let Some((_, current)) = &mut network.addresses
                    {
                        *current = gateway;
                    }
                    Ok(())
                },
            )
        })
    }

    fn delete<'a>(&'a self, owner: &'a Owner) -> BackendFuture<'a, ()> {
        Box::pin(async move {
            self.call(
                Call::Delete,
                |_| {},
                |state| {
                    state
                        .networks
                        .retain(|_, network| network.owner.uid != owner.uid);
                    Ok(())
                },
            )
        })
    }
}
