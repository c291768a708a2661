//! Converts `Widget` between `batch.example.com/v1beta1` and the storage version `v1alpha1`.
//!
//! Fields with the same name and type are copied. A field that one version lacks is lost unless you convert it, or keep it in an
//! annotation; the test `no_field_is_lost` names those that are.

use codegen_runtime::app::BoxError;
use codegen_runtime::codec::recoded;

use crate::apis::batch::{v1alpha1, v1beta1};

impl TryFrom<v1beta1::Widget> for v1alpha1::Widget {
    type Error = BoxError;

    fn try_from(object: v1beta1::Widget) -> Result<Self, BoxError> {
        Ok(Self {
            metadata: object.metadata,
            spec: recoded(&object.spec)?,
            status: recoded(&object.status)?,
        })
    }
}

impl TryFrom<v1alpha1::Widget> for v1beta1::Widget {
    type Error = BoxError;

    fn try_from(object: v1alpha1::Widget) -> Result<Self, BoxError> {
        Ok(Self {
            metadata: object.metadata,
            spec: recoded(&object.spec)?,
            status: recoded(&object.status)?,
        })
    }
}
