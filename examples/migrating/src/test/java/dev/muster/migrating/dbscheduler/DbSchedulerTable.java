package dev.muster.migrating.dbscheduler;

import dev.muster.testkit.TestDatabase;

/** The table that db-scheduler documents for PostgreSQL. */
public final class DbSchedulerTable {
    private DbSchedulerTable() {}

    public static void create(TestDatabase database) {
        database.execute("""
                CREATE TABLE scheduled_tasks (
                  task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
                  execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
                  last_success timestamptz, last_failure timestamptz, consecutive_failures int,
                  last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
                  PRIMARY KEY (task_name, task_instance))""");
    }
}
