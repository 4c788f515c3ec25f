package dev.muster.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Telemetry.Claim;
import dev.muster.telemetry.Telemetry.Claims;
import dev.muster.telemetry.Telemetry.DaemonEnd;
import dev.muster.telemetry.Telemetry.DaemonStart;
import dev.muster.telemetry.Telemetry.End;
import dev.muster.telemetry.Telemetry.Exchange;
import dev.muster.telemetry.Telemetry.Leadership;
import dev.muster.telemetry.Telemetry.Loss;
import dev.muster.telemetry.Telemetry.Membership;
import dev.muster.telemetry.Telemetry.NewClaim;
import dev.muster.telemetry.Telemetry.Outcome;
import dev.muster.telemetry.Telemetry.Peer;
import dev.muster.telemetry.Telemetry.Probe;
import dev.muster.telemetry.Telemetry.Recovery;
import dev.muster.telemetry.Telemetry.Start;
import dev.muster.telemetry.Telemetry.Stuck;
import dev.muster.telemetry.Telemetry.Tick;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What each event changes. */
class MusterMetersTest {
    private static final Claim CLAIM = claim("send_mail", "mail");
    private static final String PAIR = "{name=send_mail, queue=mail";
    private static final UUID INCARNATION = new UUID(1, 2);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MusterMeters meters = new MusterMeters();

    MusterMetersTest() {
        meters.bindTo(registry);
    }

    private static Claim claim(String name, String queue) {
        return new Claim(JobId.of("01900000-0000-7000-8000-000000000000"), 7, name, new Lane(queue, ""), 1);
    }

    /** All figures that are not zero, such as "muster.jobs.claimed{name=a, queue=b} 1.0". */
    private List<String> figures() {
        return registry.getMeters().stream()
                .flatMap(MusterMetersTest::figures)
                .sorted()
                .toList();
    }

    private static Stream<String> figures(Meter meter) {
        TreeMap<String, String> tags = new TreeMap<>();
        meter.getId().getTags().forEach(tag -> tags.put(tag.getKey(), tag.getValue()));
        String name = meter.getId().getName() + (tags.isEmpty() ? "" : tags);
        if (meter instanceof Timer timer) {
            return timer.count() == 0
                    ? Stream.empty()
                    : Stream.of(name + " " + timer.count() + " x " + timer.totalTime(TimeUnit.MILLISECONDS) + " ms");
        }
        double value = meter.measure().iterator().next().getValue();
        return value == 0 || meter.getId().getName().endsWith(".histogram")
                ? Stream.empty()
                : Stream.of(name + " " + value);
    }

    private void assertChanges(Consumer<Telemetry> event, String... expected) {
        event.accept(meters);
        assertThat(figures()).containsExactlyInAnyOrder(expected);
        registry.clear();
    }

    private static MusterMeters fresh(SimpleMeterRegistry registry) {
        MusterMeters fresh = new MusterMeters();
        fresh.bindTo(registry);
        return fresh;
    }

    /** One event in meters of its own, and what it must change. */
    private static void check(Consumer<Telemetry> event, String... expected) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        event.accept(fresh(registry));
        assertThat(registry.getMeters().stream()
                        .flatMap(MusterMetersTest::figures)
                        .toList())
                .containsExactlyInAnyOrder(expected);
    }

    @Test
    void everyEventIsCounted() {
        check(
                t -> t.exchanged(new Exchange(5_000_000, 3, 2, 1)),
                "muster.exchange 1 x 5.0 ms",
                "muster.exchange.outcomes{result=written} 2.0",
                "muster.exchange.outcomes{result=refused} 1.0");
        check(t -> t.probed(new Probe(5_000_000, true)), "muster.probe{found=true} 1 x 5.0 ms");
        check(t -> t.probed(new Probe(5_000_000, false)), "muster.probe{found=false} 1 x 5.0 ms");
        check(
                t -> t.claimed(new Claims(List.of(new NewClaim(CLAIM, Duration.ofMillis(20), 0)))),
                "muster.jobs.claimed" + PAIR + "} 1.0",
                "muster.job.wait" + PAIR + "} 1 x 20.0 ms");
        check(t -> t.started(new Start(CLAIM)), "muster.jobs.started" + PAIR + "} 1.0");
        for (End.How how : End.How.values()) {
            check(
                    t -> t.ended(new End(CLAIM, 7_000_000, how, Optional.empty())),
                    "muster.job.run" + PAIR + "} 1 x 7.0 ms",
                    "muster.handlers.ended{how=" + Meters.text(how) + "} 1.0");
        }
        for (Outcome.Kind kind : Outcome.Kind.values()) {
            check(
                    t -> t.accepted(
                            new Outcome(CLAIM, kind, true, Optional.empty(), Optional.empty(), Optional.empty())),
                    "muster.job.outcomes{name=send_mail, outcome=" + Meters.text(kind) + ", queue=mail} 1.0");
        }
        for (Loss.Reason reason : Loss.Reason.values()) {
            check(
                    t -> t.lost(new Loss(CLAIM, reason)),
                    "muster.claims.lost" + PAIR + ", reason=" + Meters.text(reason) + "} 1.0");
        }
        check(t -> t.stuck(new Stuck(CLAIM, 1)), "muster.handlers.stuck" + PAIR + "} 1.0");
        for (boolean crash : new boolean[] {true, false}) {
            check(
                    t -> t.recovered(new Recovery(CLAIM, "n2", crash, 1, JobStatus.PENDING, Optional.empty())),
                    "muster.claims.recovered{crash=" + crash + ", name=send_mail, queue=mail} 1.0");
        }
        check(
                t -> t.expired(new ExpiredJob(CLAIM.id(), "send_mail", "mail", 0)),
                "muster.jobs.expired" + PAIR + "} 1.0");
        check(
                t -> t.leading(new Leadership("scheduler", 1, 7, true)),
                "muster.leader{role=scheduler} 1.0",
                "muster.leader.term{role=scheduler} 7.0",
                "muster.leader.beginnings{role=scheduler} 1.0");
        check(
                t -> {
                    t.leading(new Leadership("scheduler", 1, 7, true));
                    t.leading(new Leadership("scheduler", 1, 7, false));
                },
                "muster.leader.term{role=scheduler} 7.0",
                "muster.leader.beginnings{role=scheduler} 1.0");
        for (boolean again : new boolean[] {true, false}) {
            check(
                    t -> t.joined(new Membership("n", INCARNATION, again)),
                    "muster.node.joined{again=" + again + "} 1.0");
        }
        check(t -> t.left(new Membership("n", INCARNATION, false)), "muster.node.left 1.0");
        for (Peer.State state : Peer.State.values()) {
            check(
                    t -> t.peerChanged(new Peer("n2", INCARNATION, state, Duration.ZERO)),
                    "muster.peers.changed{state=" + Meters.text(state) + "} 1.0");
        }
        check(
                t -> t.ticked(new Tick("nightly", Instant.EPOCH, Optional.of(CLAIM.id()), Duration.ofMillis(30))),
                "muster.cron.ticks{cron=nightly, result=enqueued} 1.0",
                "muster.cron.late 1 x 30.0 ms");
        check(
                t -> t.ticked(new Tick("nightly", Instant.EPOCH, Optional.empty(), Duration.ofMillis(30))),
                "muster.cron.ticks{cron=nightly, result=skipped} 1.0",
                "muster.cron.late 1 x 30.0 ms");
        check(
                t -> t.daemonStarted(new DaemonStart("poller", 1, 0)),
                "muster.daemon.starts{daemon=poller} 1.0",
                "muster.daemons.running{daemon=poller} 1.0");
        check(
                t -> {
                    t.daemonStarted(new DaemonStart("poller", 1, 0));
                    t.daemonEnded(new DaemonEnd("poller", 1, 5, false, Optional.of(new IllegalStateException())));
                },
                "muster.daemon.starts{daemon=poller} 1.0",
                "muster.daemon.ends{daemon=poller, how=failed} 1.0");
    }

    /** A new event would go unnoticed otherwise. */
    @Test
    void everyMethodOfTheListenerIsOverridden() {
        assertThat(Arrays.stream(Telemetry.class.getMethods())
                        .filter(Method::isDefault)
                        .map(Method::getName)
                        .collect(Collectors.toSet()))
                .isEqualTo(Arrays.stream(MusterMeters.class.getDeclaredMethods())
                        .filter(method -> Arrays.stream(Telemetry.class.getMethods())
                                .anyMatch(event -> event.getName().equals(method.getName())
                                        && Arrays.equals(event.getParameterTypes(), method.getParameterTypes())))
                        .map(Method::getName)
                        .collect(Collectors.toSet()));
    }

    @Test
    void allOutcomesOfAPairAreThereFromItsFirstEventOn() {
        meters.started(new Start(CLAIM));

        assertThat(registry.find("muster.job.outcomes").counters()).hasSize(Outcome.Kind.values().length);
        assertThat(registry.find("muster.claims.lost").counters()).hasSize(Loss.Reason.values().length);
    }

    @Test
    void theNumberOfPairsIsBounded() {
        for (int i = 0; i < Bounded.MOST + 10; i++) {
            meters.started(new Start(claim("job-" + i, "mail")));
        }
        meters.started(new Start(claim("job-3", "mail")));

        assertThat(registry.find("muster.jobs.started").counters()).hasSize(Bounded.MOST + 1);
        assertThat(registry.get("muster.jobs.started")
                        .tags("name", "other", "queue", "other")
                        .counter()
                        .count())
                .isEqualTo(10);
        assertThat(registry.get("muster.jobs.started")
                        .tags("name", "job-3")
                        .counter()
                        .count())
                .isEqualTo(2);
    }

    @Test
    void durationsThatClocksMakeNegativeOrHugeAreCounted() {
        assertChanges(
                t -> t.claimed(new Claims(List.of(new NewClaim(CLAIM, Duration.ofMillis(-5), 0)))),
                "muster.jobs.claimed" + PAIR + "} 1.0",
                "muster.job.wait" + PAIR + "} 1 x 0.0 ms");
        meters.claimed(new Claims(List.of(new NewClaim(CLAIM, Duration.ofSeconds(Long.MAX_VALUE), 0))));
    }

    @Test
    void metersGetTheTagsOfTheirNode() {
        MusterMeters tagged = new MusterMeters(Tags.of("node", "a"));
        SimpleMeterRegistry own = new SimpleMeterRegistry();
        tagged.bindTo(own);
        tagged.started(new Start(CLAIM));

        assertThat(own.getMeters()).allMatch(meter -> "a".equals(meter.getId().getTag("node")));
    }

    @Test
    void closingRemovesTheMetersAndLeavesTheRegistryOpen() {
        registry.counter("of.the.program").increment();
        meters.started(new Start(CLAIM));

        meters.close();

        assertThat(registry.isClosed()).isFalse();
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactly("of.the.program");
    }

    @Test
    void whatComesAfterClosingIsInNoRegistry() {
        meters.close();

        meters.started(new Start(new Claim(CLAIM.id(), 1, "a-name-that-was-not-there", CLAIM.lane(), 1)));
        meters.started(new Start(CLAIM));

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void metersThatAreClosedMakePlaceForOthersInTheSameRegistry() {
        meters.started(new Start(CLAIM));
        meters.close();

        MusterMeters next = new MusterMeters();
        next.bindTo(registry);
        next.started(new Start(CLAIM));
        meters.started(new Start(CLAIM));
        next.leading(new Leadership("scheduler", 1, 7, true));

        assertThat(registry.get("muster.jobs.started").counter().count()).isEqualTo(1);
        assertThat(registry.get("muster.leader")
                        .tag("role", "scheduler")
                        .gauge()
                        .value())
                .isEqualTo(1);
    }
}
