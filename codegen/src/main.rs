//! The `kube-codegen` command.

/// Generation allocates many small objects on several threads, where mimalloc is faster than the
/// system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ! {
    kube_codegen::cli::run()
}
