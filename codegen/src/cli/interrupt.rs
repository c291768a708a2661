//! Signals: what SIGINT and SIGTERM do while files are written. At other times they end the process as they do by default.

#[cfg(unix)]
mod unix {
    use std::{
        sync::atomic::{AtomicI32, Ordering::SeqCst},
        thread,
    };

    use codegen::output::{Interrupted, interrupt};
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    /// The signal that came; 0 for none.
    static RECEIVED: AtomicI32 = AtomicI32::new(0);

    /// From now on, the first signal lets a run that writes undo what it staged. A second one ends the process at once.
    #[expect(
        clippy::disallowed_methods,
        reason = "a handler of signals waits on a thread of its own"
    )]
    pub(in super::super) fn watch() {
        // Without handlers a signal ends the process, and the next run removes what is left.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
            return;
        };
        thread::spawn(move || {
            for signal in signals.forever() {
                let is_first = RECEIVED.swap(signal, SeqCst) == 0;
                if !is_first || interrupt() == Interrupted::Idle {
                    let _ = emulate_default_handler(signal);
                }
            }
        });
    }

    /// Ends the process as the signal that came would have, so that shells see it.
    pub(in super::super) fn end() {
        let signal = RECEIVED.load(SeqCst);
        if signal != 0 {
            let _ = emulate_default_handler(signal);
        }
    }
}

#[cfg(unix)]
pub(super) use unix::{end, watch};

#[cfg(not(unix))]
pub(super) fn watch() {}

#[cfg(not(unix))]
pub(super) fn end() {}
