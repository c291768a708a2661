//! Prints the public API of a crate, one item a line: `public-api-list FILE`, with rustdoc's JSON.

use std::{env, error::Error, io::Write};

fn main() -> Result<(), Box<dyn Error>> {
    let file = env::args_os().nth(1).ok_or("no file")?;
    let api = public_api::Builder::from_rustdoc_json(file)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()?;
    let mut out = std::io::stdout().lock();
    for item in api.items() {
        writeln!(out, "{item}")?;
    }
    Ok(())
}
