//! The next step for a server: a pure function of desired and observed state.

use crate::driver::{Power, Resources, Server, ServerSpec, ServerState};

/// The next step towards what is wanted. Each leads to a state from which the next one follows, so that a process may end
/// between any two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// No server exists: create it.
    Create(ServerSpec),
    /// It is stopped: start it.
    Start,
    /// It died: start it again, after its back-off.
    Restart,
    /// It runs and should not: stop it.
    Stop,
    /// It must not run while its processors or memory change: stop it for that.
    StopToResize,
    /// Its sizes differ: change them.
    Resize(Resources),
    /// Something is under way: look again.
    Wait,
    /// It gives no answer: say so, and look again.
    Unresponsive,
    /// It is as wanted.
    Nothing,
}

/// Drivers round disks up, for example to sectors: smaller differences do not count.
const ROUNDING: u64 = 1 << 20;

/// Whether a disk is asked to shrink, which it can't.
pub(super) fn shrinks(wanted: &Resources, server: &Server) -> bool {
    wanted.disk + ROUNDING <= server.resources.disk
}

/// The next step. A disk that should shrink stays unchanged; see [`shrinks`].
pub(super) fn next_step(wanted: &ServerSpec, server: Option<&Server>) -> Step {
    let Some(server) = server else {
        return Step::Create(wanted.clone());
    };
    let resize = missing(&wanted.resources, &server.resources);
    match (server.state, wanted.power) {
        (ServerState::Stopping | ServerState::Deleting, _) => Step::Wait,
        (ServerState::Creating, Power::On) => Step::Wait,
        // Also one whose start does not end, and one that gives no answer.
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

/// The sizes to change to, if they differ.
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
