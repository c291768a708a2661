//! `podset-controller`: see [`podset_controller`].

use std::process::ExitCode;

use podset_controller::app;

fn main() -> ExitCode {
    app::app().main(app::setup)
}
