//! Types that apply configurations have as they are: `+kubebuilder:ac:generate=false`.

use crate::read::markers::{MarkerSet, go::AcGenerate};

/// Whether markers leave the type as it is: its own, else those of its package.
pub(super) fn is_marked(own: &MarkerSet, package: &MarkerSet) -> bool {
    let marker = own.get::<AcGenerate>().or_else(|| package.get());
    marker.is_some_and(|marker| !marker.value)
}
