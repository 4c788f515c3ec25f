package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.overview.LimitUsageStore;
import dev.muster.internal.ratelimit.RateLimitStore;
import dev.muster.internal.ratelimit.RateLimitStore.Ask;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How far groups and rate limits are used. */
abstract class LimitUsageContract extends JobStoreContract {

    private LimitUsageStore usage() {
        return store().port(LimitUsageStore.class);
    }

    private void enqueue(String group, int jobs) {
        for (int i = 0; i < jobs; i++) {
            enqueue(JobDraft.named("mail").group(group).job());
        }
    }

    @Test
    void groupsTellHowManyJobsHoldAPlaceAndHowManyWait() {
        store().port(AdmissionStore.class).publish(Map.of("mail", new ConcurrencyLimit(2, "", false, null)), Set.of());
        enqueue("key/mail/acme", 5);
        enqueue("fifo/orders", 1);
        enqueue("name/mail", 2);
        write(new Outcome.Completed(claimOne("n", LEASE).claim(), null));

        ConcurrencyGroupUsage.Page page = usage().concurrencyGroups(10, Optional.empty());

        assertThat(page.next()).isEmpty();
        assertThat(page.groups())
                .extracting(ConcurrencyGroupUsage::group)
                .isSubsetOf("fifo/orders", "key/mail/acme", "name/mail")
                .isSorted();
        ConcurrencyGroupUsage acme = page.groups().stream()
                .filter(group -> group.group().equals("key/mail/acme"))
                .findFirst()
                .orElseThrow();
        assertThat(acme.kind()).isEqualTo("key");
        assertThat(acme.job()).contains("mail");
        assertThat(acme.key()).contains("acme");
        assertThat(acme.max()).contains(2);
        assertThat(acme.running().count() + acme.waiting().count()).isBetween(4L, 5L);
        assertThat(acme.waiting().exact()).isTrue();
        assertThat(acme.oldest()).isPresent();
    }

    @Test
    void aGroupThatOnlyARateLimitsHasNoNumberOfPlaces() {
        JobRate rate = new JobRate(100, Duration.ofMinutes(1), 1);
        store().port(AdmissionStore.class).publish(Map.of("mail", new ConcurrencyLimit(0, "", false, rate)), Set.of());
        enqueue("key/mail/acme", 2);
        enqueue("name/mail", 2);

        assertThat(usage().concurrencyGroups(10, Optional.empty()).groups())
                .extracting(ConcurrencyGroupUsage::group, ConcurrencyGroupUsage::max, ConcurrencyGroupUsage::rate)
                .containsExactly(
                        tuple("key/mail/acme", Optional.empty(), Optional.of(rate)),
                        tuple("name/mail", Optional.empty(), Optional.of(rate)));
    }

    @Test
    void groupsComeInPages() {
        for (String key : "abcde".split("")) {
            enqueue("fifo/" + key, 2);
        }

        ConcurrencyGroupUsage.Page first = usage().concurrencyGroups(2, Optional.empty());
        ConcurrencyGroupUsage.Page second = usage().concurrencyGroups(2, first.next());
        ConcurrencyGroupUsage.Page third = usage().concurrencyGroups(2, second.next());

        assertThat(first.groups())
                .extracting(
                        ConcurrencyGroupUsage::group,
                        ConcurrencyGroupUsage::max,
                        ConcurrencyGroupUsage::running,
                        ConcurrencyGroupUsage::waiting)
                .containsExactly(
                        tuple("fifo/a", Optional.of(1), new JobCount(1, true), new JobCount(1, true)),
                        tuple("fifo/b", Optional.of(1), new JobCount(1, true), new JobCount(1, true)));
        assertThat(second.groups()).extracting(ConcurrencyGroupUsage::group).containsExactly("fifo/c", "fifo/d");
        assertThat(third.groups()).extracting(ConcurrencyGroupUsage::group).containsExactly("fifo/e");
        assertThat(third.next()).isEmpty();
        assertThat(usage().concurrencyGroups(10, Optional.of("fifo/zzz")).groups())
                .isEmpty();
    }

    @Test
    void rateLimitsOfTheCurrentWindowComeMostUsedFirst() {
        RateLimitStore limits = store().port(RateLimitStore.class);
        RateLimit ten = new RateLimit(10, Duration.ofHours(1));
        advance(limits.take(new Ask(RateKey.global("edge"), new RateLimit(1, Duration.ofHours(1)), 0, 0))
                .left()
                .plusMillis(1));
        limits.take(new Ask(RateKey.global("sms"), ten, 1, 1));
        limits.take(new Ask(RateKey.user("login", "ada"), ten, 3, 3));

        assertThat(usage().rateLimits(10))
                .filteredOn(limit -> limit.used() > 0)
                .extracting(RateLimitUsage::key, RateLimitUsage::used, RateLimitUsage::window)
                .containsExactly(
                        tuple("user/login/ada", 3L, Duration.ofHours(1)), tuple("global/sms", 1L, Duration.ofHours(1)));
        assertThat(usage().rateLimits(1)).hasSize(1);
        advance(Duration.ofHours(2));
        assertThat(usage().rateLimits(10)).isEmpty();
    }
}
