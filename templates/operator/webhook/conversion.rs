{{definition_role}}/// Adds conversion between the versions of the kind. The hub is this one, the storage version.
pub fn convert(webhooks: webhook::WebhooksBuilder) -> webhook::WebhooksBuilder {
    let converter = webhook::Converter::hub::<{{kind}}>();
    webhooks.converter(converter)
}
