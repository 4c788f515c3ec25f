package dev.muster.migrating.jobrunr;

/** What is left in the tables of JobRunr. */
final class JobRunrChecks {
    private JobRunrChecks() {}

    static final String LEFT = """
            -- show: left
            SELECT jobSignature, state, count(*), min(scheduledAt) AS next
            FROM jobrunr_jobs WHERE state NOT IN ('SUCCEEDED', 'DELETED') GROUP BY jobSignature, state
            -- end
            """;
}
