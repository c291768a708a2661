//! Unpacks the table and indexes it, so that programs read of it what they ask for, where it lies.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let out = Path::new(&out);
    let types = unpack("types")?;
    let docs = unpack("docs")?;
    let mut rows: Vec<(&str, &str)> = types.lines().zip(docs.lines()).collect();
    rows.sort_by_key(|(row, _)| row.split('\t').next());
    let (mut types, mut docs, mut index) = (String::new(), String::new(), Vec::new());
    for (row, row_docs) in rows {
        types.push_str(row);
        docs.push_str(row_docs);
        for end in [types.len(), docs.len()] {
            index.extend(u32::try_from(end)?.to_le_bytes());
        }
    }
    fs::write(out.join("types"), types)?;
    fs::write(out.join("docs"), docs)?;
    fs::write(out.join("index"), index)?;
    Ok(())
}

fn unpack(name: &str) -> Result<String, Box<dyn Error>> {
    let packed = format!("src/{name}.bin");
    println!("cargo:rerun-if-changed={packed}");
    let text = miniz_oxide::inflate::decompress_to_vec(&fs::read(&packed)?)
        .map_err(|error| format!("{packed}: {error}"))?;
    Ok(String::from_utf8(text)?)
}
