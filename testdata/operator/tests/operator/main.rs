//! Tests of the operator against an embedded API server.

mod deploy;
mod deployment;
mod deployment_webhook;
mod end_to_end;
mod region;
mod support;
mod webhooks_certificate;
mod widget;
mod widget_v1beta1_conversion;
mod widget_webhook;
