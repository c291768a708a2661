//! `certificate_*`: certificates of the program's own servers. The labels are those of the task
//! that renews them, so that queries can join both.

use super::owned::owned_series;
use super::series::Gauge;

owned_series! {
    /// The series of one certificate. Clones share them.
    pub(crate) struct CertificateMetrics of (task, name) {
        expiry: Gauge = CERTIFICATE_EXPIRY;
    }
}

impl CertificateMetrics {
    /// Records when the certificate expires, in seconds since 1970.
    pub(crate) fn expires(&self, at: i64) {
        self.expiry.set(at);
    }
}
