package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.JobDraft;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes agree on whether the database is crowded. */
class CrowdIT {
    private static final int LARGE = 300;

    private final AtomicLong nanos = new AtomicLong();
    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        database.jobs()
                .enqueue(Stream.generate(() -> JobDraft.plain("nothing"))
                        .limit(4 * LARGE)
                        .toList());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private ClaimSession node(String id, Clock clock) {
        return new PostgresClaimSession(
                new Database(database.dataSource(), new SqlFiles("public")),
                database.jobs(),
                new HeldClaims(),
                new ClaimScope(id, null, Set.of(), null, Duration.ofMinutes(5)),
                clock);
    }

    private static boolean crowded(ClaimSession node) {
        node.wake(Set.of());
        node.look();
        return node.crowded();
    }

    private static void claim(ClaimSession node, int jobs) {
        assertThat(node.exchange(List.of(), jobs, false).claimed()).hasSize(jobs);
    }

    @Test
    void oneThatFindsTheDatabaseSlowIsFollowedByTheOthers() {
        ClaimSession slow = node("n1", () -> nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(200)));
        ClaimSession second = node("n2", Clock.system());
        ClaimSession third = node("n3", Clock.system());
        claim(second, 1);
        claim(third, 1);
        claim(slow, LARGE);
        assertThat(crowded(third)).isFalse();

        claim(slow, LARGE);

        assertThat(crowded(slow)).isTrue();
        assertThat(crowded(second)).isTrue();
        assertThat(crowded(third)).isTrue();
    }

    @Test
    void twoNodesAreNoCrowdHoweverSlow() {
        ClaimSession slow = node("n1", () -> nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(200)));
        ClaimSession second = node("n2", Clock.system());
        claim(second, 1);
        claim(slow, LARGE);
        claim(slow, LARGE);

        assertThat(crowded(slow)).isFalse();
        assertThat(crowded(second)).isFalse();
    }
}
