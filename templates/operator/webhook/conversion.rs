{{definition_role}}/// Adds the conversion between the versions of the kind, by way of this one, which is stored.
pub fn convert(webhooks: webhook::WebhooksBuilder) -> webhook::WebhooksBuilder {
    let converter = webhook::Converter::hub::<{{kind}}>();
    webhooks.converter(converter)
}
