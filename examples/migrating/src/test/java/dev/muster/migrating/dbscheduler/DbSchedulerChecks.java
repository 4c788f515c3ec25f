package dev.muster.migrating.dbscheduler;

/** What is left in the table of db-scheduler. */
final class DbSchedulerChecks {
    private DbSchedulerChecks() {}

    static final String LEFT = """
            -- show: left
            SELECT task_name, picked, count(*), min(execution_time) AS next
            FROM scheduled_tasks GROUP BY task_name, picked
            -- end
            """;
}
