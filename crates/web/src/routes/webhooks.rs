//! Webhooks and their deliveries.

use crate::admin::webhooks;
use crate::route::Access::Admin;
use crate::route::{Route, get, post};

#[rustfmt::skip]
pub(super) fn rows() -> Vec<Route> {
    vec![
        get(   "/api/admin/webhooks",                     Admin,     webhooks::list)
            .says("The webhooks").answers_list::<webhooks::WireWebhook>(),
        post(  "/api/admin/webhooks/create",              Admin,     webhooks::create)
            .says("Create a webhook; its secret is shown only this once").takes::<webhooks::CreateWebhookRequest>().answers::<webhooks::WireWebhook>(),
        post(  "/api/admin/webhooks/update",              Admin,     webhooks::update)
            .says("Change a webhook").takes::<webhooks::UpdateWebhookRequest>().answers::<webhooks::WireWebhook>(),
        post(  "/api/admin/webhooks/delete",              Admin,     webhooks::delete)
            .says("Delete a webhook").takes::<webhooks::ById>().done(),
        post(  "/api/admin/webhooks/test",                Admin,     webhooks::test)
            .says("Send a test to a webhook").takes::<webhooks::WebhookTestRequest>().answers::<webhooks::WebhookTestResponse>(),
        get(   "/api/admin/webhooks/deliveries",          Admin,     webhooks::deliveries)
            .says("What was sent to webhooks, newest first").query::<webhooks::WebhookDeliveriesQuery>().answers_list::<webhooks::WireDelivery>(),
        post(  "/api/admin/webhooks/deliveries/retry",    Admin,     webhooks::retry)
            .says("Send something again").takes::<webhooks::ById>().done(),
    ]
}
