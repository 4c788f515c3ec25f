package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

class TestDatabaseIT {

    /** A suite has a database for each test: a connection that nobody uses would be a good part of what it costs. */
    @Test
    void noConnectionIsOpenedUntilOneIsNeeded() {
        try (TestDatabase database = TestDatabase.fromEnv();
                TestDatabase observer = TestDatabase.fromEnv()) {
            String name = database.column("SELECT current_database()").get(0);
            String sessions = "SELECT sessions FROM pg_stat_database WHERE datname = '" + name + "'";

            await().until(() -> observer.number(sessions) > 0);

            // A round with SQL of its own, such as the one at the turn of a year, runs it in each new database.
            long ofTheRound = System.getProperty("muster.test.sql") == null ? 0 : 1;
            assertThat(observer.number(sessions)).isEqualTo(1 + ofTheRound);
        }
    }
}
