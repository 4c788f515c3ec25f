package dev.muster.postgres.upkeep;

import dev.muster.job.Lane;
import dev.muster.postgres.db.Database;
import dev.muster.upkeep.AgingStore;
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
    public List<Place> findWaiting(Duration ageAfter) {
        return database.inTransaction(connection -> database.preparedQuery("jobs/waited_long")
                .with(p -> p.number(ageAfter.toMillis()))
                .list(connection, row -> new Place(lane(row), row.getInt("rank"), row.getLong("from_micros"))));
    }

    @Override
    public Lifted lift(Connection tx, List<Place> places, Duration ageAfter, int most) throws SQLException {
        // If there are more places than jobs that may be lifted, it is the turn of those where jobs wait for longest.
        List<Place> asked = places.stream()
                .sorted(Comparator.comparingLong(Place::fromMicros))
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
        List<Place> later = new ArrayList<>();
        for (Place place : places) {
            later.add(new Place(place.lane(), place.rank(), next.getOrDefault(place.lane(), place.fromMicros())));
        }
        return new Lifted(jobs, lanes, later);
    }

    /** What became of one lane. */
    private record LaneLift(Lane lane, int jobs, long nextMicros) {}

    private List<LaneLift> lift(Connection tx, List<Place> asked, long ageMillis, int mostOfEach) throws SQLException {
        return database.preparedQuery("jobs/lift")
                .with(p -> p.number(ageMillis)
                        .number(mostOfEach)
                        .column("int2", asked, Place::rank)
                        .column("text", asked, place -> place.lane().queue())
                        .column("text", asked, place -> place.lane().capability())
                        .column("int8", asked, Place::fromMicros))
                .list(tx, row -> new LaneLift(lane(row), row.getInt("jobs"), row.getLong("next_micros")));
    }

    private static Lane lane(ResultSet row) throws SQLException {
        return new Lane(row.getString("queue"), row.getString("capability"));
    }
}
