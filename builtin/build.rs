//! Unpacks the table, so that programs read it where it lies.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    for name in ["types", "docs"] {
        let packed = format!("src/{name}.bin");
        println!("cargo:rerun-if-changed={packed}");
        let text = miniz_oxide::inflate::decompress_to_vec(&fs::read(&packed)?)
            .map_err(|error| format!("{packed}: {error}"))?;
        fs::write(Path::new(&out).join(name), text)?;
    }
    Ok(())
}
