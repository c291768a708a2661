{{definition_role}}/// Adds conversion between the versions of the kind. The hub is this one, the storage version; the
/// conversions are generated, in `zz_generated_conversion` of the other versions.
pub fn convert(webhooks: webhook::WebhooksBuilder) -> webhook::WebhooksBuilder {
    let converter = webhook::Converter::hub::<{{kind}}>();
    webhooks.converter(converter)
}
