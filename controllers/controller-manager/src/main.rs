//! `controller-manager`: see [`controller_manager`].

use std::process::ExitCode;

use controller_manager::app;

fn main() -> ExitCode {
    let program = app::app();
    #[cfg(feature = "demo")]
    let program = program.demo(controller_manager::demo::demo());
    program.main(app::setup)
}
