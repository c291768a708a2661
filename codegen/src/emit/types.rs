//! Types from CRDs.

use super::{Emit, Files};

/// Emits the types of every version that comes from CRDs.
pub(crate) fn emit(_cx: &Emit<'_>, _files: &mut Files) {}
