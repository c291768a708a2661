//! Types that apply configurations use unchanged: `+kubebuilder:ac:generate=false`.

use crate::read::markers::{MarkerSet, go::AcGenerate};

/// Whether markers request that the type be used unchanged: its own, or else those of its package.
pub(super) fn is_marked(own: &MarkerSet, package: &MarkerSet) -> bool {
    let marker = own.get::<AcGenerate>().or_else(|| package.get());
    marker.is_some_and(|marker| !marker.value)
}
