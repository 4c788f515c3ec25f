package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Nothing that tenants send or get is forgotten: a new route, parameter or member fails here until {@link TenantView} says whose it is. */
class TenantViewTest {
    private static final String HOW =
            "each part is OWN, SHARED or HIDDEN: add it to TenantView, and see that TwoTenantsIT meets it";

    @Test
    void everyPartOfARequestIsClassified() {
        assertThat(TenantView.requests()).as(HOW).isEqualTo(TenantView.REQUESTS.keySet());
    }

    @Test
    void everyMemberOfAnAnswerIsClassified() {
        assertThat(TenantView.answers()).as(HOW).isEqualTo(TenantView.ANSWERS.keySet());
    }

    @Test
    void theRoutesThatTenantsMayUseAreThese() {
        assertThat(TenantView.routes())
                .as("a route that is opened to tenants goes through Tenancy, and into TwoTenantsIT")
                .extracting(TenantView::where)
                .containsExactlyInAnyOrder(
                        "GET:/_api/functions",
                        "POST:/_api/rpc/{function}",
                        "GET:/_api/jobs",
                        "POST:/_api/jobs",
                        "POST:/_api/jobs/many",
                        "GET:/_api/jobs/counts",
                        "GET:/_api/jobs/retryable",
                        "POST:/_api/jobs/cancel",
                        "POST:/_api/jobs/retry",
                        "GET:/_api/jobs/{id}",
                        "GET:/_api/jobs/{id}/logs",
                        "GET:/_api/jobs/{id}/attempts",
                        "POST:/_api/jobs/{id}/cancel",
                        "POST:/_api/jobs/{id}/retry",
                        "POST:/_api/jobs/{id}/reschedule",
                        "POST:/_api/jobs/{id}/reprioritise",
                        "GET:/_api/me",
                        "GET:/_api/openapi.json");
    }
}
