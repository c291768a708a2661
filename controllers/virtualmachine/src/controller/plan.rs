//! The next step for a server: a pure function of desired and observed state.

use crate::driver::{Power, Resources, Server, ServerSpec, ServerState};

/// The next step towards the desired state. Each step leads to a state from which the next one
/// follows, so a process may end between any two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Create the missing server.
    Create(ServerSpec),
    /// Start the stopped server.
    Start,
    /// Restart the dead server after its back-off.
    Restart,
    /// Stop the running server.
    Stop,
    /// Stop the running server so that its processors or memory can change.
    StopToResize,
    /// Change the server's sizes.
    Resize(Resources),
    /// A change is in progress: check again later.
    Wait,
    /// The server does not respond: report it, and check again later.
    Unresponsive,
    /// The server is in the desired state.
    Nothing,
}

/// Drivers round disk sizes up, for example to sectors: smaller differences are ignored.
const ROUNDING: u64 = 1 << 20;

/// Whether a smaller disk is requested, which is impossible.
pub(super) fn shrinks(wanted: &Resources, server: &Server) -> bool {
    wanted.disk + ROUNDING <= server.resources.disk
}

/// Returns the next step. A disk that should shrink stays unchanged; see [`shrinks`].
pub(super) fn next_step(wanted: &ServerSpec, server: Option<&Server>) -> Step {
    let Some(server) = server else {
        return Step::Create(wanted.clone());
    };
    let resize = missing(&wanted.resources, &server.resources);
    match (server.state, wanted.power) {
        (ServerState::Stopping | ServerState::Deleting, _) => Step::Wait,
        (ServerState::Creating, Power::On) => Step::Wait,
        // Includes a server that never finishes starting, and one that does not respond.
        (
            ServerState::Creating
            | ServerState::Running
            | ServerState::Failed
            | ServerState::Unknown,
            Power::Off,
        ) => Step::Stop,
        (ServerState::Unknown, Power::On) => Step::Unresponsive,
        (ServerState::Running, Power::On) => match resize {
            Some(resources) if server.resources.needs_restart(&resources) => Step::StopToResize,
            Some(resources) => Step::Resize(resources),
            None => Step::Nothing,
        },
        (ServerState::Stopped | ServerState::Failed, _) if resize.is_some() => {
            resize.map_or(Step::Nothing, Step::Resize)
        }
        (ServerState::Failed, Power::On) => Step::Restart,
        (ServerState::Stopped, Power::On) => Step::Start,
        (ServerState::Stopped, Power::Off) => Step::Nothing,
    }
}

/// Returns the sizes to change to, if they differ.
fn missing(wanted: &Resources, actual: &Resources) -> Option<Resources> {
    let disk = if wanted.disk <= actual.disk {
        actual.disk
    } else {
        wanted.disk
    };
    let resources = Resources { disk, ..*wanted };
    (resources != *actual).then_some(resources)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Resources = Resources {
        cpus: 1,
        memory: 1 << 30,
        disk: 10 << 30,
    };

    fn wanted(resources: Resources, power: Power) -> ServerSpec {
        ServerSpec { resources, power }
    }

    fn server(state: ServerState) -> Server {
        Server {
            state,
            resources: SMALL,
            usage: None,
            message: String::new(),
        }
    }

    #[test]
    fn each_state_leads_on_to_what_is_wanted() {
        use ServerState::{Creating, Deleting, Failed, Running, Stopped, Stopping, Unknown};
        let more_cpus = Resources { cpus: 2, ..SMALL };
        let more_disk = Resources {
            disk: 20 << 30,
            ..SMALL
        };
        let cases = [
            (SMALL, Power::On, Creating, Step::Wait),
            (SMALL, Power::On, Stopping, Step::Wait),
            (SMALL, Power::On, Deleting, Step::Wait),
            (SMALL, Power::On, Running, Step::Nothing),
            (SMALL, Power::On, Stopped, Step::Start),
            (SMALL, Power::On, Failed, Step::Restart),
            (SMALL, Power::On, Unknown, Step::Unresponsive),
            (SMALL, Power::Off, Creating, Step::Stop),
            (SMALL, Power::Off, Unknown, Step::Stop),
            (SMALL, Power::Off, Running, Step::Stop),
            (SMALL, Power::Off, Stopped, Step::Nothing),
            (SMALL, Power::Off, Failed, Step::Stop),
            (more_cpus, Power::On, Running, Step::StopToResize),
            (more_cpus, Power::On, Stopped, Step::Resize(more_cpus)),
            (more_cpus, Power::On, Failed, Step::Resize(more_cpus)),
            (more_cpus, Power::Off, Running, Step::Stop),
            (more_cpus, Power::Off, Stopped, Step::Resize(more_cpus)),
            (more_disk, Power::On, Running, Step::Resize(more_disk)),
            (more_disk, Power::Off, Stopped, Step::Resize(more_disk)),
        ];
        for (resources, power, state, step) in cases {
            assert_eq!(
                next_step(&wanted(resources, power), Some(&server(state))),
                step,
                "{state:?} to {power:?}"
            );
        }
        let spec = wanted(SMALL, Power::On);
        assert_eq!(next_step(&spec, None), Step::Create(spec.clone()));
    }

    #[test]
    fn a_disk_never_shrinks() {
        let smaller = Resources {
            disk: 5 << 30,
            ..SMALL
        };
        let running = server(ServerState::Running);
        assert!(shrinks(&smaller, &running));
        assert_eq!(
            next_step(&wanted(smaller, Power::On), Some(&running)),
            Step::Nothing
        );
        let fewer = Resources { cpus: 2, ..smaller };
        assert_eq!(
            next_step(
                &wanted(fewer, Power::On),
                Some(&server(ServerState::Stopped))
            ),
            Step::Resize(Resources { cpus: 2, ..SMALL })
        );
    }

    #[test]
    fn a_disk_that_a_driver_rounded_up_is_no_other() {
        let asked = Resources {
            disk: SMALL.disk - 300,
            ..SMALL
        };
        let running = server(ServerState::Running);
        assert!(!shrinks(&asked, &running));
        assert_eq!(
            next_step(&wanted(asked, Power::On), Some(&running)),
            Step::Nothing
        );
    }
}
