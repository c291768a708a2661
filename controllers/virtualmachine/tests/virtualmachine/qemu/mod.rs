//! Tests of the QEMU driver with real machines, which only boot their firmware.
//!
//! Without QEMU these tests print a message and are skipped; with `QEMU_REQUIRED`, which
//! `hack/qemu.sh` sets, they fail.
#![cfg(target_os = "linux")]

mod bench;
mod faults;
mod life;
