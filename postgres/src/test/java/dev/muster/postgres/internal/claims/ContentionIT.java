package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nodes agree on whether the database is crowded. */
class ContentionIT extends OnFreshDatabase {
    private static final int LARGE = 300;

    private final AtomicLong nanos = new AtomicLong();

    @BeforeEach
    void prepare() {
        database.store()
                .jobs()
                .enqueue(Stream.generate(() -> JobDraft.plain("nothing"))
                        .limit(5 * LARGE)
                        .toList());
    }

    private ClaimSession node(String id) {
        return new ClaimSessions(
                new Database(database.dataSource(), new SqlFiles("public")),
                new HeldClaims(),
                List.of(),
                new ClaimFilter(id, null, Set.of(), null, Duration.ofMinutes(5)),
                nanos::get);
    }

    private static boolean contended(ClaimSession node) {
        node.wake(Set.of());
        node.probeBacklog();
        return node.contended();
    }

    private static void claim(ClaimSession node, int jobs) {
        assertThat(node.exchange(List.of(), jobs, false, Integer.MAX_VALUE).claimed())
                .hasSize(jobs);
    }

    @Test
    void threeNodesThatWorkOffABacklogAreACrowdToAllThree() {
        List<ClaimSession> nodes = Stream.of("n1", "n2", "n3").map(this::node).toList();
        nodes.subList(0, 2).forEach(node -> claim(node, LARGE));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        nodes.subList(0, 2).forEach(node -> claim(node, LARGE));
        assertThat(nodes.subList(0, 2)).as("two are no crowd").noneMatch(ContentionIT::contended);

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        claim(nodes.get(2), LARGE);

        assertThat(nodes).allMatch(ContentionIT::contended);
    }
}
