package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.config.WorkerConfig;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.HandedBack;
import dev.muster.internal.job.store.ClaimStore.Renewal;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobListener;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long claims are kept whose outcome is not written. */
class LeaseRenewalTest {
    private static final WorkerConfig CONFIG = MusterConfig.defaults().worker();
    private static final Lane LANE = new Lane("default", "");

    private final AtomicLong now = new AtomicLong();
    private final ClaimTable claims = new ClaimTable();
    private final Completer completer = new Completer();
    private final List<ClaimRef> renewed = new ArrayList<>();
    private final List<ClaimRef> handedBack = new ArrayList<>();
    private final Queue<JobId> leftBehind = new ConcurrentLinkedQueue<>();
    private boolean cancelled;
    private final ClaimStore store = (ClaimStore) Proxy.newProxyInstance(
            ClaimStore.class.getClassLoader(), new Class<?>[] {ClaimStore.class}, (self, method, args) -> {
                Collection<?> refs = (Collection<?>) args[0];
                if (method.getName().equals("renew")) {
                    refs.forEach(ref -> renewed.add((ClaimRef) ref));
                    return new Renewal(Set.of(), Set.of(), Set.of());
                }
                assertThat(method.getName()).isEqualTo("release");
                refs.forEach(ref -> handedBack.add((ClaimRef) ref));
                return cancelled
                        ? new HandedBack(Set.of(), Set.of(), Set.copyOf(handedBack))
                        : new HandedBack(Set.of(LANE), Set.copyOf(handedBack), Set.of());
            });
    private final DependencyStore dependencies = (DependencyStore) Proxy.newProxyInstance(
            DependencyStore.class.getClassLoader(), new Class<?>[] {DependencyStore.class}, (self, method, args) -> {
                assertThat(method.getName()).isEqualTo("resolveDependents");
                ((Collection<?>) args[0]).forEach(job -> leftBehind.add((JobId) job));
                return Set.of();
            });
    private final Dependents dependents = new Dependents(dependencies, lanes -> {});
    private final LeaseRenewal leases = new LeaseRenewal(
            store,
            CONFIG,
            new OpenWork(claims, completer, new OpenCompletions(), new JobLogBuffer(store, now::get)),
            List::of,
            (claim, state, failure) -> {},
            new FollowUps(
                    new OutcomeReports("n1", new JobListener() {}, new TelemetryListeners(List.of(), now::get)),
                    dependents,
                    lanes -> {},
                    lanes -> {},
                    groups -> {}),
            now::get);

    @BeforeEach
    void nothingIsHeld() {
        assertThat(claims.all()).isEmpty();
    }

    private OpenClaim ended(@Nullable Integer maxAttempts) {
        ClaimRef ref = new ClaimRef(JobId.next(), 7);
        OpenClaim claim = new OpenClaim(
                new ClaimedJob(ref, 1, "job", LANE, 1, maxAttempts, null, 0, false, null, "null", null),
                new JobHandler(
                        "job", LANE, Priority.NORMAL, BackoffPolicy.DEFAULT, null, null, (context, args) -> null),
                TestExecutors.idle(),
                now.get(),
                CONFIG.lease(),
                Duration.ofHours(1));
        claims.add(claim);
        claim.end();
        completer.add(new Outcome.Completed(ref, null));
        return claim;
    }

    private void pass(int leasesLong) {
        long until = now.get() + leasesLong * CONFIG.lease().toNanos();
        while (now.get() < until) {
            now.addAndGet(CONFIG.renew().toNanos());
            leases.renewTick();
        }
    }

    @Test
    void anOutcomeThatNothingCanWriteDoesNotKeepItsJobWithoutEnd() {
        ClaimRef ref = ended(null).ref();
        pass(20);
        assertThat(renewed).as("kept for ten minutes").hasSizeGreaterThanOrEqualTo(40);
        assertThat(handedBack).isEmpty();

        pass(1);
        assertThat(handedBack).containsExactly(ref);
        assertThat(claims.all()).isEmpty();
    }

    @Test
    void aJobThatMayRunOnlyOnceIsKept() {
        ended(1);
        pass(30);
        renewed.clear();
        pass(1);
        assertThat(renewed).isNotEmpty();
        assertThat(handedBack).isEmpty();
    }

    /** It is handed back after seconds; until then the sweep must not take it, and charge it a crash. */
    @Test
    void aJobThatGoesBackIsKeptUntilThatIsWritten() {
        OpenClaim claim = ended(null);
        completer.take(1);
        completer.add(new Outcome.Released(claim.ref()));
        now.addAndGet(CONFIG.renew().toNanos());
        leases.renewTick();
        assertThat(renewed).containsExactly(claim.ref());
        now.addAndGet(Duration.ofSeconds(5).toNanos());
        leases.renewTick();
        assertThat(handedBack).containsExactly(claim.ref());
    }

    /** It has ended then, and others wait for it, or for its place in a group. */
    @Test
    void whatAJobLeavesBehindThatIsCancelledWhenItGoesBackIsResolved() {
        dependents.loop().start();
        try {
            OpenClaim claim = ended(null);
            completer.take(1);
            completer.add(new Outcome.Released(claim.ref()));
            cancelled = true;
            leases.renewTick();
            now.addAndGet(Duration.ofSeconds(5).toNanos());
            leases.renewTick();

            await().untilAsserted(() ->
                    assertThat(leftBehind).containsExactly(claim.ref().id()));
        } finally {
            dependents.loop().stop();
        }
    }
}
