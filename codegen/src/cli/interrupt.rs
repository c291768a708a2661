//! Signals: how SIGINT and SIGTERM are handled while files are written. At other times they have
//! their default effect.

#[cfg(unix)]
mod unix {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicI32, Ordering::SeqCst},
        },
        thread,
    };

    use crate::output::{Interrupted, interrupt};
    use signal_hook::{
        consts::{SIGINT, SIGTERM, SIGXFSZ},
        flag,
        iterator::Signals,
        low_level::emulate_default_handler,
    };

    /// The received signal; 0 for none.
    static RECEIVED: AtomicI32 = AtomicI32::new(0);

    /// From now on, the first signal makes a writing run remove its staged files. A second one ends
    /// the process at once. A file that exceeds a limit is an error of writing it, as on a full
    /// disk.
    #[expect(
        clippy::disallowed_methods,
        reason = "the signal handler waits on its own thread"
    )]
    pub(in super::super) fn watch() {
        // Without handlers, a signal ends the process, and the next run cleans up.
        let _ = flag::register(SIGXFSZ, Arc::default());
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

    /// If a signal was received, ends the process with that signal, so that shells see it.
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
