//! The binary of the operator: see [`{{crate}}`].

use std::process::ExitCode;

use {{crate}}::app;

fn main() -> ExitCode {
    app::app().main(app::setup)
}
