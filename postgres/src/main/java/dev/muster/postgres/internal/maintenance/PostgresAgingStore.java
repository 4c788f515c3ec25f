package dev.muster.postgres.internal.maintenance;

import dev.muster.internal.maintenance.AgingStore;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Lifts jobs that waited long in PostgreSQL. */
public final class PostgresAgingStore implements AgingStore {
    private final Database database;

    public PostgresAgingStore(Database database) {
        this.database = database;
    }

    @Override
    public List<RankedLane> findWaiting(Duration ageAfter) {
        return database.inTransaction(connection -> database.preparedQuery("jobs/waited_long")
                .with(p -> p.number(ageAfter.toMillis()))
                .list(connection, row -> new RankedLane(lane(row), row.getInt("rank"), row.getLong("from_micros"))));
    }

    @Override
    public Lifted lift(Connection tx, List<RankedLane> ranked, Duration ageAfter, int most) throws SQLException {
        // If there are more lanes than jobs that may be lifted, it is the turn of those where jobs wait for longest.
        List<RankedLane> asked = ranked.stream()
                .sorted(Comparator.comparingLong(RankedLane::fromMicros))
                .limit(most)
                .toList();
        int jobs = 0;
        Set<Lane> lanes = new HashSet<>();
        Map<Lane, Long> next = new HashMap<>();
        for (LaneLift lift : lift(tx, asked, ageAfter.toMillis(), most / asked.size())) {
            jobs += lift.jobs;
            if (lift.jobs > 0) {
                lanes.add(lift.lane);
            }
            next.put(lift.lane, lift.nextMicros);
        }
        List<RankedLane> later = new ArrayList<>();
        for (RankedLane one : ranked) {
            later.add(new RankedLane(one.lane(), one.rank(), next.getOrDefault(one.lane(), one.fromMicros())));
        }
        return new Lifted(jobs, lanes, later);
    }

    /** What became of one lane. */
    private record LaneLift(Lane lane, int jobs, long nextMicros) {}

    private List<LaneLift> lift(Connection tx, List<RankedLane> asked, long ageMillis, int mostOfEach)
            throws SQLException {
        return database.preparedQuery("jobs/lift")
                .with(p -> p.number(ageMillis)
                        .number(mostOfEach)
                        .column("int2", asked, RankedLane::rank)
                        .column("text", asked, one -> one.lane().queue())
                        .column("text", asked, one -> one.lane().capability())
                        .column("int8", asked, RankedLane::fromMicros))
                .list(tx, row -> new LaneLift(lane(row), row.getInt("jobs"), row.getLong("next_micros")));
    }

    private static Lane lane(ResultSet row) throws SQLException {
        return new Lane(row.getString("queue"), row.getString("capability"));
    }
}
