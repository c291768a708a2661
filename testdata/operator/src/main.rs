//! The binary of the operator: see [`sample_operator`].

use std::process::ExitCode;

use sample_operator::app;

fn main() -> ExitCode {
    app::app().main(app::setup)
}
