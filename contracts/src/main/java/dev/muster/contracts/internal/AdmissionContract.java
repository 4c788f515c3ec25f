package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobId;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What tests of concurrency groups have in common. */
abstract class AdmissionContract extends JobStoreContract {
    static final String GROUP = "key/mail/acme";
    static final String FIFO = "fifo/order-17";
    static final Duration MINUTE = Duration.ofMinutes(1);

    AdmissionStore admission() {
        return store().port(AdmissionStore.class);
    }

    void limit(int most) {
        admission().publish(Map.of("mail", new ConcurrencyLimit(most, "", false, null)), Set.of());
    }

    static NewJob inGroup(String group) {
        return JobDraft.named("mail").group(group).job();
    }

    List<JobId> enqueue(String group, int jobs) {
        return store().jobs()
                .enqueue(IntStream.range(0, jobs).mapToObj(i -> inGroup(group)).toList());
    }

    List<ClaimedJob> claim() {
        return claims("n").exchange(List.of(), 100).claimed();
    }

    static List<JobId> ids(List<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::id).toList();
    }

    /** Writes an outcome and admits, as a worker does. */
    void end(ClaimedJob job, Outcome outcome) {
        Exchange written = write(outcome);
        assertThat(written.rejected()).isEmpty();
        store().claims().admit(Set.of(String.valueOf(job.concurrencyGroup())));
    }

    void complete(ClaimedJob job) {
        end(job, new Outcome.Completed(job.claim(), null));
    }

    Map<String, Duration> laterGroups() {
        Map<String, Duration> later = Collections.synchronizedMap(new HashMap<>());
        admission().onLater((group, delay, alone) -> later.put(group, delay));
        return later;
    }
}
