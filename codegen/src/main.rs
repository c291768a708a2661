//! The `kube-codegen` command.

mod cli;

/// Generating is making many small things on several threads, which this is better at than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ! {
    cli::run()
}
