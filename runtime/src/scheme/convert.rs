//! Conversion between kinds, by a registered function or the shortest chain of them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::error::Error;
use std::sync::Arc;

use kube::core::GroupVersionKind;

use super::{AnyObject, KindKey, Scheme, SchemeError, display_gvk};
use crate::object::{Object, ResourceInfo};

type ConvertFn =
    dyn Fn(&AnyObject) -> Result<AnyObject, Box<dyn Error + Send + Sync>> + Send + Sync;

/// The kinds that each kind converts to, with the functions.
#[derive(Clone, Default)]
pub(super) struct Conversions(BTreeMap<KindKey, BTreeMap<KindKey, Arc<ConvertFn>>>);

impl Scheme {
    /// Adds the function that converts a `From` into a `To`. A later function for the same pair
    /// replaces it.
    ///
    /// Both kinds must be registered. The reverse direction needs its own function.
    ///
    /// # Errors
    ///
    /// [`SchemeError::NotRegistered`] for either kind.
    pub fn add_conversion<From, To, E>(
        &mut self,
        convert: impl Fn(&From) -> Result<To, E> + Send + Sync + 'static,
    ) -> Result<&mut Self, SchemeError>
    where
        From: Object,
        To: Object,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let from = ResourceInfo::of::<From>(&()).group_version_kind();
        let to = ResourceInfo::of::<To>(&()).group_version_kind();
        self.registration(&from)?;
        self.registration(&to)?;
        let erased: Arc<ConvertFn> = Arc::new(move |object| {
            let typed = object
                .downcast_ref::<From>()
                .ok_or("the object is not of the type its kind is registered for")?;
            convert(typed).map(AnyObject::new).map_err(Into::into)
        });
        self.conversions
            .0
            .entry(KindKey::from(&from))
            .or_default()
            .insert(KindKey::from(&to), erased);
        Ok(self)
    }

    /// Converts an object to the kind of `To`, by the shortest chain of registered functions.
    ///
    /// An object that already has that kind is cloned unchanged. Defaulting functions do not run.
    ///
    /// # Errors
    ///
    /// [`SchemeError`]: the kind is not registered, no chain of functions leads to it, or a
    /// function fails.
    pub fn convert<To: Object>(&self, object: &AnyObject) -> Result<To, SchemeError> {
        let to = ResourceInfo::of::<To>(&()).group_version_kind();
        let converted = self.convert_to(object, &to)?;
        converted
            .downcast::<To>()
            .map_err(|other| SchemeError::NoConversion {
                from: display_gvk(other.group_version_kind()),
                to: std::any::type_name::<To>().to_owned(),
            })
    }

    /// Like [`Self::convert`], to a kind specified at run time.
    ///
    /// # Errors
    ///
    /// [`SchemeError`]: the kind is not registered, no chain of functions leads to it, or a
    /// function fails.
    pub fn convert_to(
        &self,
        object: &AnyObject,
        to: &GroupVersionKind,
    ) -> Result<AnyObject, SchemeError> {
        self.registration(to)?;
        let from = object.group_version_kind();
        let missing = || SchemeError::NoConversion {
            from: display_gvk(from),
            to: display_gvk(to),
        };
        let path = self
            .conversions
            .path(&KindKey::from(from), &KindKey::from(to))
            .ok_or_else(missing)?;
        let mut object = object.clone();
        for convert in path {
            object = convert(&object).map_err(|source| SchemeError::Conversion {
                from: display_gvk(from),
                to: display_gvk(to),
                source,
            })?;
        }
        Ok(object)
    }
}

impl Conversions {
    /// Returns the functions of the shortest chain; empty if the kinds are the same. Among equally
    /// short chains the order of the kinds decides, so that the result is deterministic.
    fn path(&self, from: &KindKey, to: &KindKey) -> Option<Vec<&Arc<ConvertFn>>> {
        let mut seen = BTreeSet::from([from]);
        let mut queue = VecDeque::from([(from, Vec::new())]);
        while let Some((at, path)) = queue.pop_front() {
            if at == to {
                return Some(path);
            }
            for (next, convert) in self.0.get(at).into_iter().flatten() {
                if seen.insert(next) {
                    let mut longer = path.clone();
                    longer.push(convert);
                    queue.push_back((next, longer));
                }
            }
        }
        None
    }
}
