//! The verbs of a [`TypedClient`](super::TypedClient): one capability each, and the sets that
//! clients use.
//!
//! `TypedClient<K, V>` has the method of a verb if the set `V` has its capability. Generated
//! clients use a set of this module, or their own set with the verbs that the markers leave. A call
//! of any other method is a compile error that names the markers.

/// Declares capabilities that markers can take away.
macro_rules! capabilities {
    ($($(#[doc = $docs:literal])* $capability:ident: $message:literal;)*) => {$(
        $(#[doc = $docs])*
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "not a verb of this resource",
            note = "`{Self}` are the verbs that the markers of the type leave: `+genclient:onlyVerbs`, `+genclient:skipVerbs`, \
                `+genclient:readonly`, `+genclient:noVerbs`"
        )]
        pub trait $capability {}
    )*};
}

/// Declares capabilities of a subresource, which a resource may lack.
macro_rules! subresources {
    ($($(#[doc = $docs:literal])* $capability:ident: $message:literal, $note:literal;)*) => {$(
        $(#[doc = $docs])*
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "not a verb of this resource",
            note = $note
        )]
        pub trait $capability {}
    )*};
}

/// Declares sets of verbs.
macro_rules! sets {
    ($($(#[doc = $docs:literal])* $set:ident: $($capability:ident)*;)*) => {$(
        $(#[doc = $docs])*
        #[derive(Clone, Copy, Debug)]
        pub enum $set {}

        $(impl $capability for $set {})*
    )*};
}

capabilities! {
    /// Allows [`create`](super::TypedClient::create).
    Create: "the markers of this kind forbid `create`";
    /// Allows [`update`](super::TypedClient::update).
    Update: "the markers of this kind forbid `update`";
    /// Allows [`delete`](super::TypedClient::delete).
    Delete: "the markers of this kind forbid `delete`";
    /// Allows [`delete_collection`](super::TypedClient::delete_collection).
    DeleteCollection: "the markers of this kind forbid `deleteCollection`";
    /// Allows [`get`](super::TypedClient::get) and [`get_opt`](super::TypedClient::get_opt).
    Get: "the markers of this kind forbid `get`";
    /// Allows [`list`](super::TypedClient::list).
    List: "the markers of this kind forbid `list`";
    /// Allows [`watch`](super::TypedClient::watch).
    Watch: "the markers of this kind forbid `watch`";
    /// Allows [`patch`](super::TypedClient::patch).
    Patch: "the markers of this kind forbid `patch`";
    /// Allows [`apply`](super::TypedClient::apply).
    Apply: "the markers of this kind forbid `apply`";
}

subresources! {
    /// Allows [`update_status`](super::TypedClient::update_status), and
    /// [`patch_status`](super::TypedClient::patch_status) with [`Patch`].
    UpdateStatus: "this kind has no `updateStatus`",
        "`{Self}` leaves it out: the kind has no status subresource, or `+genclient:noStatus` or another `+genclient` marker forbids it";
    /// Allows [`apply_status`](super::TypedClient::apply_status).
    ApplyStatus: "this kind has no `applyStatus`",
        "`{Self}` leaves it out: the kind has no status subresource, or `+genclient:noStatus` or another `+genclient` marker forbids it";
    /// Allows [`get_scale`](super::TypedClient::get_scale),
    /// [`update_scale`](super::TypedClient::update_scale) and
    /// [`patch_scale`](super::TypedClient::patch_scale).
    Scale: "this kind has no scale subresource",
        "in annotated Rust, `+genclient:method=GetScale,verb=get,subresource=scale,result=autoscaling/v1.Scale` and the like give these methods";
}

sets! {
    /// Every verb, including those of status and scale: the default for kinds without known
    /// markers, and for generated clients of kinds with both subresources.
    All: Create Update UpdateStatus Delete DeleteCollection Get List Watch Patch Apply ApplyStatus Scale;
    /// Every verb of a kind with a status subresource.
    WithStatus: Create Update UpdateStatus Delete DeleteCollection Get List Watch Patch Apply ApplyStatus;
    /// Every verb of a kind without subresources.
    NoStatus: Create Update Delete DeleteCollection Get List Watch Patch Apply;
    /// The verbs that `+genclient:readonly` leaves.
    ReadOnly: Get List Watch;
    /// No verbs, for `+genclient:noVerbs`.
    NoVerbs:;
}
