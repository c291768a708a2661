//! The QEMU driver with real machines, which have no more than firmware to run.
//!
//! Without QEMU these tests are skipped, and say so; with `QEMU_REQUIRED` set, as by `hack/qemu.sh`, they fail.
#![cfg(target_os = "linux")]

mod bench;
mod faults;
mod life;
