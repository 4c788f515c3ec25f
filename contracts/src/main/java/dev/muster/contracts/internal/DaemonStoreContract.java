package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeStatus;
import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.DaemonInfo.Status;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.daemon.DaemonStore.Claim;
import dev.muster.internal.daemon.DaemonStore.Holder;
import dev.muster.internal.daemon.DaemonStore.Ref;
import dev.muster.internal.daemon.DaemonStore.Survey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** A daemon runs on one node at a time, nodes share them out, and only the holder of a claim can write about it. */
abstract class DaemonStoreContract extends PortContract {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private DaemonStore daemons() {
        return store().port(DaemonStore.class);
    }

    /** A node that is active and can run these daemons. */
    private Holder node(String id, String... once) {
        UUID incarnation = UUID.randomUUID();
        store().nodes().join(Nodes.registration(id, incarnation), NodeStatus.ACTIVE, null, null);
        Holder holder = new Holder(id, incarnation);
        daemons().declare(holder, List.of(once), List.of());
        return holder;
    }

    private Optional<Claim> claim(Holder holder, String... names) {
        return daemons().claim(holder, List.of(names), LEASE, PATIENCE);
    }

    private Claim claimed(Holder holder, String... names) {
        return claim(holder, names).orElseThrow();
    }

    private DaemonInfo daemon(String name) {
        return daemons().list().stream()
                .filter(daemon -> daemon.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aFreeDaemonHasOneHolderAtATime() {
        Holder a = node("a", "feed");
        Holder b = node("b", "feed");
        assertThat(daemon("feed").status()).isEqualTo(Status.FREE);

        Claim claim = claimed(a, "feed");

        assertThat(claim.ref().name()).isEqualTo("feed");
        assertThat(claim(b, "feed")).isEmpty();
        assertThat(daemon("feed").node()).contains("a");
        assertThat(daemon("feed").token()).contains(claim.ref().token());
    }

    @Test
    void aDaemonWhoseLeaseRanOutIsTakenOverAndItsOldHolderCanDoNothing() {
        Holder a = node("a", "feed");
        Claim first = claimed(a, "feed");
        advance(LEASE.plusSeconds(1));
        Holder b = node("b", "feed");

        Claim second = claimed(b, "feed");

        assertThat(second.fence()).isGreaterThan(first.fence());
        assertThat(daemons().renew(List.of(first.ref(), second.ref()), LEASE)).containsExactly(second.ref());
        assertThat(daemons().running(first.ref(), 9)).isFalse();
        daemons().backoff(first.ref(), 9, "late");
        daemons().fail(first.ref(), 9, "late");
        daemons().release(first.ref(), 9);
        assertThat(daemon("feed")).satisfies(feed -> {
            assertThat(feed.node()).contains("b");
            assertThat(feed.status()).isEqualTo(Status.RUNNING);
            assertThat(feed.restarts()).isZero();
            assertThat(feed.lastError()).isEmpty();
        });
    }

    @Test
    void renewalMakesALeaseLast() {
        Holder a = node("a", "feed");
        Claim claim = claimed(a, "feed");
        advance(LEASE.minusSeconds(10));
        assertThat(daemons().renew(List.of(claim.ref()), LEASE)).containsExactly(claim.ref());
        advance(LEASE.minusSeconds(10));

        assertThat(claim(node("b", "feed"), "feed")).isEmpty();
        assertThat(daemon("feed").status()).isEqualTo(Status.RUNNING);
    }

    @Test
    void aReleasedDaemonGoesToAnotherNodeWithItsRestarts() {
        Holder a = node("a", "feed");
        Claim claim = claimed(a, "feed");

        daemons().release(claim.ref(), 4);

        assertThat(daemon("feed").status()).isEqualTo(Status.FREE);
        assertThat(claimed(node("b", "feed"), "feed").restarts()).isEqualTo(4);
    }

    @Test
    void theListShowsWhatTheHolderReports() {
        Claim claim = claimed(node("a", "feed"), "feed");

        daemons().backoff(claim.ref(), 2, "it broke");
        assertThat(daemon("feed")).satisfies(feed -> {
            assertThat(feed.status()).isEqualTo(Status.BACKOFF);
            assertThat(feed.restarts()).isEqualTo(2);
            assertThat(feed.lastError()).contains("it broke");
            assertThat(feed.failedAt()).isPresent();
        });

        assertThat(daemons().running(claim.ref(), 3)).isTrue();
        assertThat(daemon("feed").status()).isEqualTo(Status.RUNNING);
        assertThat(daemon("feed").restarts()).isEqualTo(3);
    }

    @Test
    void aFailedDaemonIsLeftAloneUntilItIsReset() {
        Holder a = node("a", "feed");
        daemons().fail(claimed(a, "feed").ref(), 10, "too often");

        assertThat(daemon("feed").status()).isEqualTo(Status.FAILED);
        assertThat(claim(a, "feed")).isEmpty();
        assertThat(daemons().survey(a, List.of("feed"), List.of()).free()).isFalse();
        assertThat(daemons().reset("nobody")).isFalse();

        assertThat(daemons().reset("feed")).isTrue();
        assertThat(daemons().reset("feed")).as("it has not failed any more").isFalse();
        assertThat(claimed(a, "feed").restarts()).isZero();
    }

    @Test
    void nodesShareDaemonsOutAndANodeThatDoesNotComeLosesItsTurn() {
        Holder a = node("a", "one", "two", "three");
        Holder b = node("b", "one", "two", "three");
        claimed(a, "one");

        assertThat(claim(a, "two", "three")).as("it is b's turn").isEmpty();
        advance(PATIENCE.plusSeconds(1));
        assertThat(claimed(a, "two").ref().name()).as("b did not come").isEqualTo("two");

        assertThat(claimed(b, "one", "two", "three").ref().name()).isEqualTo("three");
        assertThat(claim(b, "one", "two")).as("there is none left").isEmpty();
    }

    @Test
    void aNodeThatHasTwoMoreThanAnotherIsToldWhichToGive() {
        Holder a = node("a", "one", "two");
        claimed(a, "one");
        claimed(a, "two");
        assertThat(daemons()
                        .survey(a, List.of("one", "two"), List.of("one", "two"))
                        .surplus())
                .isNull();

        Holder b = node("b", "one", "two");

        Survey survey = daemons().survey(a, List.of("one", "two"), List.of("one", "two"));
        assertThat(survey.surplus()).isIn("one", "two");
        daemons().withdraw(b);
        assertThat(daemons()
                        .survey(a, List.of("one", "two"), List.of("one", "two"))
                        .surplus())
                .as("a node that is leaving gets none")
                .isNull();
    }

    @Test
    void aSurveyTellsWhatIsFreeAndWhenTheFirstLeaseOfAnotherEnds() {
        Holder a = node("a", "feed");
        Holder b = node("b", "feed");
        assertThat(daemons().survey(b, List.of("feed"), List.of()).free()).isTrue();
        claimed(a, "feed");

        Survey survey = daemons().survey(b, List.of("feed"), List.of());

        assertThat(survey.free()).isFalse();
        assertThat(survey.nextEnd().orElseThrow()).isBetween(Duration.ofSeconds(10), LEASE);
        assertThat(daemons().survey(a, List.of("feed"), List.of()).free())
                .as("its own, which it does not run, is to be had back")
                .isTrue();
        assertThat(daemons().survey(a, List.of("feed"), List.of("feed")).free()).isFalse();
    }

    @Test
    void aNodeHasBackAtOnceWhatItLostTrackOfAndItsOldTokenIsWorthNothing() {
        Holder a = node("a", "feed");
        Claim lost = claimed(a, "feed");

        Claim again = claimed(a, "feed");

        assertThat(again.fence()).isGreaterThan(lost.fence());
        assertThat(daemons().renew(List.of(lost.ref()), LEASE)).isEmpty();
    }

    @Test
    void aProcessThatWasReplacedUnderItsIdGetsNoDaemon() {
        Holder older = node("a", "feed");
        Holder newer = node("a", "feed");

        assertThat(claim(older, "feed")).isEmpty();
        assertThat(claim(newer, "feed")).isPresent();
    }

    @Test
    void aDaemonPerNodeHasARowForEachNode() {
        Holder a = node("a");
        Holder b = node("b");
        daemons().declare(a, List.of(), List.of("probe"));
        daemons().declare(b, List.of(), List.of("probe"));

        Ref ofA = claimed(a, "probe").ref();
        Ref ofB = claimed(b, "probe").ref();

        assertThat(ofA.slot()).isEqualTo("a");
        assertThat(ofB.slot()).isEqualTo("b");
        assertThat(daemons().list()).extracting(DaemonInfo::slot).containsExactly(Optional.of("a"), Optional.of("b"));
    }

    @Test
    void rowsThatNobodyStandsForAreForgotten() {
        Holder a = node("a", "feed", "old_code");
        daemons().declare(a, List.of("feed"), List.of());
        advance(Duration.ofMinutes(11));

        daemons().declare(a, List.of("feed"), List.of());

        assertThat(daemons().list()).extracting(DaemonInfo::name).containsExactly("feed");
    }

    @Test
    void allThatADeadIncarnationHadIsFreeOnceTheTransactionCommits() throws Exception {
        Holder a = node("a", "one", "two");
        claimed(a, "one");
        claimed(a, "two");
        try (var tx = transaction()) {
            assertThat(daemons().release(tx, "a", UUID.randomUUID()))
                    .as("not its incarnation")
                    .isZero();
            assertThat(daemons().release(tx, "a", a.incarnation())).isEqualTo(2);
            tx.rollback();
        }
        assertThat(daemon("one").status()).isEqualTo(Status.RUNNING);

        int released = inTransaction(tx -> daemons().release(tx, "a", a.incarnation()));

        assertThat(released).isEqualTo(2);

        assertThat(daemons().list()).extracting(DaemonInfo::status).containsOnly(Status.FREE);
    }

    @Test
    void ofManyNodesThatAskAtOnceOneGetsEachDaemon() throws Exception {
        List<Holder> nodes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            nodes.add(node("n" + i, "feed"));
        }
        Set<Ref> won = ConcurrentHashMap.newKeySet();

        JobStoreContract.inParallel(4, i -> claim(nodes.get(i), "feed").map(claim -> won.add(claim.ref())));

        assertThat(won).hasSize(1);
    }
}
