package dev.muster.internal.job.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.InvalidJob;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TenantKeyTest {
    private static final Optional<String> NONE = Optional.empty();

    @Test
    void aKeyIsStoredInTheNameSpaceOfItsTenant() {
        assertThat(TenantKey.stored(Optional.of("acme"), "order-17")).isEqualTo("@acme/order-17");
        assertThat(TenantKey.stored(Optional.of("a/b%"), "c/d")).isEqualTo("@a%2Fb%25/c/d");
        assertThat(TenantKey.stored(NONE, "order-17")).isEqualTo("order-17");
        assertThat(TenantKey.stored(NONE, "acme/order-17")).isEqualTo("acme/order-17");
        assertThat(TenantKey.stored(NONE, "@acme/order-17")).isEqualTo("@/@acme/order-17");
    }

    @Test
    void noTwoKeysHaveTheSameFormAndEachIsShownAsItWasWritten() {
        List<Optional<String>> tenants = new ArrayList<>(List.of(NONE));
        for (String tenant : List.of("a", "a/b", "@", "/", "%", "%2F", "a%2Fb", "@a/b", "//", "@/")) {
            tenants.add(Optional.of(tenant));
        }
        Map<String, List<Object>> all = new HashMap<>();
        for (Optional<String> tenant : tenants) {
            for (String key :
                    List.of("k", "b/k", "/k", "@k", "@a/k", "@/k", "a/b/k", "%2Fb/k", "@a%2Fb/k", "/", "@", "@/@/k")) {
                String stored = TenantKey.stored(tenant, key);
                assertThat(all.put(stored, List.of(tenant, key))).as(stored).isNull();
                assertThat(TenantKey.shown(stored)).as(stored).isEqualTo(key);
            }
        }
    }

    @Test
    void aQueryNamesTheKeyOfItsTenant() {
        assertThat(TenantKey.stored(JobQuery.all().key("k"))).contains("k");
        assertThat(TenantKey.stored(JobQuery.all().metadata("tenant", "acme").key("k")))
                .contains("@acme/k");
        assertThat(TenantKey.stored(JobQuery.all().metadata("tenant", "acme"))).isEmpty();
    }

    @Test
    void aTenantIsOneThatCallersCanHave() {
        assertThat(TenantKey.tenantOf(JobRequest.of("a"))).isEmpty();
        assertThat(TenantKey.tenantOf(JobRequest.of("a").tenant("acme"))).contains("acme");
        for (String tenant : List.of("", " ", " acme", "acme ", "x".repeat(101), "a\0b", "\uD800")) {
            assertThatThrownBy(() -> TenantKey.tenantOf(JobRequest.of("a").metadata("tenant", tenant)))
                    .isInstanceOf(InvalidJob.class)
                    .hasMessageContaining("the tenant of job 'a'");
        }
    }

    @Test
    void tenantsHaveGroupsOfTheirOwn() {
        assertThat(ConcurrencyGroup.fairTo("acme")).isEqualTo("fair/@acme/");
        assertThat(ConcurrencyGroup.keyIn("key/mail/@acme/ada", "mail")).isEqualTo("@acme/ada");
    }
}
