//! Markers that specify a group and a version.

use super::define::{Raw, markers};

markers! { MARKERS;
    /// The API group of the version; the empty value is the core group.
    GroupName = "groupName", on [Package] { default: "the name of the group's directory" } (
        /// the group
        name: Raw = "" as "dns name",
    );

    /// The group's name in the names of types, in camel case.
    GroupGoName = "groupGoName", on [Package] { default: "the first label of the group" } (
        /// the name
        name: String = "" as "Name",
    );

    /// The version's name.
    VersionName = "versionName", on [Package] { default: "the name of the version's directory" } (
        /// the version
        name: String = "" as "version",
    );
}
