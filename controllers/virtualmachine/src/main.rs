//! `virtualmachine-controller`: see [`virtualmachine_controller`].

use std::process::ExitCode;

use virtualmachine_controller::app;
use virtualmachine_controller::driver::simulated::{Latency, Simulated};

fn main() -> ExitCode {
    let simulated = Simulated::new(Latency::default());
    let program = app::app();
    #[cfg(feature = "demo")]
    let program = program.demo(virtualmachine_controller::demo::demo(simulated.clone()));
    program.main(move |process, flags| app::setup(process, flags, simulated))
}
