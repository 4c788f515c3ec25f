package dev.muster.migrating.quartz;

/** What is left in the tables of Quartz. */
final class QuartzChecks {
    private QuartzChecks() {}

    static final String LEFT = """
            -- show: left
            SELECT job_name, trigger_state, count(*), min(to_timestamp(next_fire_time / 1000.0)) AS next
            FROM qrtz_triggers GROUP BY job_name, trigger_state
            -- end
            """;
}
