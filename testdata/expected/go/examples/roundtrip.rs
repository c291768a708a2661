//! Reads objects as lines of JSON and writes each back, for `hack/go-roundtrip.sh`.

use std::io::{self, BufRead as _, Write as _};

use golden_go::apis::{samplecontroller::v1alpha1::Foo, shapes::v1::Shape, timers, wardle};

fn written(line: &str) -> serde_json::Result<String> {
    let object: serde_json::Value = serde_json::from_str(line)?;
    let text = |key: &str| object[key].as_str().unwrap_or_default().to_owned();
    match (text("apiVersion").as_str(), text("kind").as_str()) {
        (_, "Shape") => serde_json::to_string(&serde_json::from_str::<Shape>(line)?),
        (_, "Foo") => serde_json::to_string(&serde_json::from_str::<Foo>(line)?),
        ("timers.example.com/v1", "Holiday") => {
            serde_json::to_string(&serde_json::from_str::<timers::v1::Holiday>(line)?)
        }
        (_, "Holiday") => {
            serde_json::to_string(&serde_json::from_str::<timers::v2::Holiday>(line)?)
        }
        ("timers.example.com/v1", _) => {
            serde_json::to_string(&serde_json::from_str::<timers::v1::Timer>(line)?)
        }
        ("timers.example.com/v2", _) => {
            serde_json::to_string(&serde_json::from_str::<timers::v2::Timer>(line)?)
        }
        (_, "Fischer") => {
            serde_json::to_string(&serde_json::from_str::<wardle::v1alpha1::Fischer>(line)?)
        }
        ("wardle.example.com/v1alpha1", _) => {
            serde_json::to_string(&serde_json::from_str::<wardle::v1alpha1::Flunder>(line)?)
        }
        _ => serde_json::to_string(&serde_json::from_str::<wardle::v1beta1::Flunder>(line)?),
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match written(&line?) {
            Ok(text) => writeln!(out, "{text}")?,
            Err(error) => writeln!(out, "error: {error}")?,
        }
    }
    Ok(())
}
