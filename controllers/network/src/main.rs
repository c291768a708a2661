//! `network-controller`: see [`network_controller`].

use std::process::ExitCode;

use network_controller::app;

fn main() -> ExitCode {
    app::app().main(app::setup)
}
