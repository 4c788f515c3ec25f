package dev.muster.job;

/**
 * Lines kept with a job in the database. They are written in batches shortly after, capped at 1,000 lines of
 * 4,000 characters per attempt, and kept for {@code history.job_log_retain}. Not a replacement for the
 * application's own logging.
 */
public interface JobLog {

    void info(String message);

    void warn(String message);

    void error(String message);
}
