package dev.muster.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/**
 * Names that have been heard of lately. Neither jobs nor queues are registered: a name that is missing here may be right all
 * the same.
 *
 * @param jobs names of jobs
 * @param queues names of queues
 */
public record KnownNames(Set<String> jobs, Set<String> queues) {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    public KnownNames {
        jobs = Set.copyOf(jobs);
        queues = Set.copyOf(queues);
    }

    static KnownNames read(Database database) {
        return database.reading(LIMIT, connection -> {
            Set<String> jobs = new TreeSet<>();
            Set<String> queues = new TreeSet<>();
            try (PreparedStatement statement = connection.prepareStatement(database.sql("names/known"))) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    if (rows.getString("name") != null) {
                        jobs.add(rows.getString("name"));
                    }
                    if (rows.getString("queue") != null) {
                        queues.add(rows.getString("queue"));
                    }
                }
            }
            return new KnownNames(jobs, queues);
        });
    }
}
