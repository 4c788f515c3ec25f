package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import dev.muster.job.LineLimit;
import dev.muster.job.store.LineStore;
import dev.muster.job.store.Outcome;
import dev.muster.limit.Limit;
import dev.muster.limit.RateKey;
import dev.muster.limit.RateLimitStore;
import dev.muster.limit.RateLimitStore.Ask;
import dev.muster.overview.LimitUsageStore;
import dev.muster.overview.LineUsage;
import dev.muster.overview.RateLimitUsage;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How far lines and rate limits are used. */
abstract class LimitUsageContract extends JobStoreContract {

    private LimitUsageStore usage() {
        return store().port(LimitUsageStore.class);
    }

    private void enqueue(String line, int jobs) {
        for (int i = 0; i < jobs; i++) {
            enqueue(JobDraft.named("mail").line(line).job());
        }
    }

    @Test
    void linesTellHowManyJobsHoldAPlaceAndHowManyWait() {
        store().port(LineStore.class).publish(Map.of("mail", new LineLimit(2, "", false, null)), Set.of());
        enqueue("key/mail/acme", 5);
        enqueue("fifo/orders", 1);
        enqueue("name/mail", 2);
        write(new Outcome.Completed(claimOne("n", LEASE).claim(), null));

        LineUsage.Page page = usage().lines(10, Optional.empty());

        assertThat(page.next()).isEmpty();
        assertThat(page.lines())
                .extracting(LineUsage::line)
                .isSubsetOf("fifo/orders", "key/mail/acme", "name/mail")
                .isSorted();
        LineUsage acme = page.lines().stream()
                .filter(line -> line.line().equals("key/mail/acme"))
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
    void aLineThatOnlyARateLimitsHasNoNumberOfPlaces() {
        JobRate rate = new JobRate(100, Duration.ofMinutes(1), 1);
        store().port(LineStore.class).publish(Map.of("mail", new LineLimit(0, "", false, rate)), Set.of());
        enqueue("key/mail/acme", 2);
        enqueue("name/mail", 2);

        assertThat(usage().lines(10, Optional.empty()).lines())
                .extracting(LineUsage::line, LineUsage::max, LineUsage::rate)
                .containsExactly(
                        tuple("key/mail/acme", Optional.empty(), Optional.of(rate)),
                        tuple("name/mail", Optional.empty(), Optional.of(rate)));
    }

    @Test
    void linesComeInPages() {
        for (String key : "abcde".split("")) {
            enqueue("fifo/" + key, 2);
        }

        LineUsage.Page first = usage().lines(2, Optional.empty());
        LineUsage.Page second = usage().lines(2, first.next());
        LineUsage.Page third = usage().lines(2, second.next());

        assertThat(first.lines())
                .extracting(LineUsage::line, LineUsage::max, LineUsage::running, LineUsage::waiting)
                .containsExactly(
                        tuple("fifo/a", Optional.of(1), new JobCount(1, true), new JobCount(1, true)),
                        tuple("fifo/b", Optional.of(1), new JobCount(1, true), new JobCount(1, true)));
        assertThat(second.lines()).extracting(LineUsage::line).containsExactly("fifo/c", "fifo/d");
        assertThat(third.lines()).extracting(LineUsage::line).containsExactly("fifo/e");
        assertThat(third.next()).isEmpty();
        assertThat(usage().lines(10, Optional.of("fifo/zzz")).lines()).isEmpty();
    }

    @Test
    void rateLimitsOfTheCurrentWindowComeMostUsedFirst() {
        RateLimitStore limits = store().port(RateLimitStore.class);
        Limit ten = new Limit(10, Duration.ofHours(1));
        advance(limits.take(new Ask(RateKey.global("edge"), new Limit(1, Duration.ofHours(1)), 0, 0))
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
