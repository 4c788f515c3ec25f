package dev.muster.engine;

import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;

/** Sets the clock of a test's database, as an operator or a time server might: nobody renews anything meanwhile. */
public final class SetClock {
    private SetClock() {}

    /** Stops it, so that what is left of a lease stays the same for as long as a test takes. */
    public static void stop(TestDatabase database) {
        String now = database.column("SELECT muster_clock()").get(0);
        for (String function : List.of("muster_clock", "muster_statement_clock")) {
            database.execute("CREATE OR REPLACE FUNCTION " + function
                    + "() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE AS $$ SELECT timestamptz '" + now
                    + "' $$");
        }
    }

    /**
     * Sets it to this long after the time at which tests begin. In numbers, because functions with a search path of their own do not see
     * the tests' clock_timestamp().
     */
    public static void ahead(TestDatabase database, Duration ahead) {
        String offset = database.column(
                        "SELECT extract(epoch FROM now() - pg_catalog.now()) * 1000 + " + ahead.toMillis())
                .get(0);
        database.execute("CREATE OR REPLACE FUNCTION muster_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                + " $$ SELECT pg_catalog.clock_timestamp() + interval '" + offset + " milliseconds' $$");
        database.execute(
                "CREATE OR REPLACE FUNCTION muster_statement_clock() RETURNS timestamptz LANGUAGE sql STABLE AS"
                        + " $$ SELECT pg_catalog.statement_timestamp() + interval '" + offset + " milliseconds' $$");
    }
}
