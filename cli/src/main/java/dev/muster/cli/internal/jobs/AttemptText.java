package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Table;
import dev.muster.job.JobAttempt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The attempts of a job as a table, with the first line of each error. */
final class AttemptText {
    private static final int ERROR_WIDTH = 80;

    private AttemptText() {}

    /** An empty text if there is no attempt, or the only one completed the job: the job itself says all about that. */
    static String of(List<JobAttempt> attempts) {
        boolean plain = attempts.size() == 1 && attempts.get(0).outcome() == JobAttempt.Outcome.COMPLETED;
        if (attempts.isEmpty() || plain) {
            return "";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("TRY", "OUTCOME", "NODE", "ENDED", "RAN", "ERROR");
        for (JobAttempt attempt : attempts) {
            table.row(
                    attempt.attempt(),
                    attempt.outcome().text(),
                    attempt.node().map(JobText::shortNode).orElse("-"),
                    ages.of(attempt.endedAt()),
                    attempt.startedAt()
                            .map(start -> Ages.brief(Duration.between(start, attempt.endedAt())))
                            .orElse("-"),
                    attempt.error().map(AttemptText::firstLine).orElse("-"));
        }
        return "\n" + table;
    }

    private static String firstLine(String error) {
        return Table.cut(Table.oneLine(error.lines().findFirst().orElse("-")), ERROR_WIDTH);
    }
}
