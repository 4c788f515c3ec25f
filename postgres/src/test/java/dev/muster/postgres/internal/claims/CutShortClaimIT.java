package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.job.Lane;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims by {@code jobs/claim.sql} that may take fewer jobs from a lane than it has, and what cursors make of them. */
class CutShortClaimIT extends OnFreshDatabase {
    private static final Lane LIMITED = new Lane("a", "");
    private static final Lane OTHER = new Lane("b", "");
    private static final int RANK = 50;

    private final ClaimCursors cursors = new ClaimCursors(System::nanoTime);

    @BeforeEach
    void prepare() {
        cursors.wake(Set.of(LIMITED, OTHER));
    }

    @Test
    void whatALimitLeftInOneLaneIsClaimedNextAndTheOtherLaneIsNotScannedAgain() throws SQLException {
        enqueue(LIMITED, 5);
        enqueue(OTHER, 1);
        database.advance(Duration.ofMinutes(1));

        ScanPlan first = cursors.plan(Reach.RECENT, cursors.wakes());
        assertThat(claim(first, 2, 10)).containsExactly("a", "a", "b");
        assertThat(start(LIMITED)).as("in front of what is left").isLessThan(micros("min(ready_at)"));
        assertThat(start(OTHER)).isGreaterThan(micros("muster_clock() - interval '30 seconds'"));

        assertThat(claim(cursors.plan(Reach.FORWARD, cursors.wakes()), 2, 10)).containsExactly("a", "a");
        assertThat(claim(cursors.plan(Reach.FORWARD, cursors.wakes()), 2, 10)).containsExactly("a");
    }

    @Test
    void aClaimThatFoundEnoughHasSeenNothingOfTheLanesThatFollow() throws SQLException {
        enqueue(LIMITED, 5);
        enqueue(OTHER, 5);
        database.advance(Duration.ofMinutes(1));

        List<String> claimed = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            claimed.addAll(claim(cursors.plan(i == 0 ? Reach.RECENT : Reach.FORWARD, cursors.wakes()), 3, 3));
        }
        assertThat(claimed).hasSize(10);
        assertThat(Collections.frequency(claimed, "a")).isEqualTo(5);
    }

    /** Claims and commits, tells the cursors, and returns the queues of the claimed jobs in order. */
    private List<String> claim(ScanPlan plan, int limit, int limitInAll) throws SQLException {
        SqlFiles files = new SqlFiles("public");
        List<FoundJob> hits = new ArrayList<>();
        long clock;
        try (Connection connection = database.transaction();
                Statement preamble = connection.createStatement();
                PreparedStatement statement = connection.prepareStatement(files.get("jobs/claim"))) {
            ResultSet settings = preamble.executeQuery(files.get("jobs/preamble"));
            settings.next();
            clock = settings.getLong("clock_micros");
            ResultSet rows = new Params(statement)
                    .flag(!plan.trustsXmax())
                    .shorts(plan.ranks())
                    .texts(plan.queues())
                    .texts(plan.capabilities())
                    .longs(plan.starts())
                    .texts(null)
                    .texts(null)
                    .flag(true)
                    .number(limit)
                    .number(limitInAll)
                    .text("n1")
                    .number(60_000)
                    .number(1_000)
                    .query();
            while (rows.next()) {
                hits.add(new FoundJob(
                        new Lane(rows.getString(4), rows.getString(5)),
                        rows.getInt(6),
                        ExchangeTransaction.micros(rows.getBytes(7))));
            }
            connection.commit();
        }
        ScanResult result = ScanResult.of(plan, hits, limit, limitInAll);
        cursors.claimed(plan, result, clock, true);
        return hits.stream().map(hit -> hit.lane().queue()).sorted().toList();
    }

    private void enqueue(Lane lane, int jobs) {
        for (int i = 0; i < jobs; i++) {
            database.store()
                    .jobs()
                    .enqueue(
                            List.of(JobDraft.named("job").lane(lane.queue(), "").job()));
        }
    }

    private long start(Lane lane) {
        ScanPlan plan = cursors.plan(Reach.FORWARD, cursors.wakes());
        for (int i = 0; i < plan.ranks().length; i++) {
            if (plan.ranks()[i] == RANK && plan.lane(i).equals(lane)) {
                return plan.starts()[i];
            }
        }
        throw new AssertionError("the lane is not asked: " + lane);
    }

    private long micros(String time) {
        return database.number(
                "SELECT (date_part('epoch', " + time + ") * 1e6)::bigint FROM muster_jobs WHERE status = 'pending'"
                        + (time.startsWith("min") ? "" : " LIMIT 1"));
    }
}
