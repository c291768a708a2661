//! `podbuggertool-controller`: see [`podbuggertool_controller`].

use std::process::ExitCode;

use podbuggertool_controller::app;

fn main() -> ExitCode {
    app::app().main(app::setup)
}
