package dev.muster.config;

import java.time.Duration;

/**
 * The {@code [history]} section: how long ended jobs, their logs, attempts and metrics, and the audit are kept.
 *
 * @param retain how long ended jobs are kept, 1s to 3650d. Default: 7d
 * @param jobLogRetain how long the log lines of jobs, and their attempts that did not end them, are kept, 1d to 3650d. Default: 3d
 * @param keyRetain how long an idempotency key stays taken after its job ended, 1s to 3650d and no longer than {@code retain},
 *     because the time at which a job ended is in history. Default: 24h
 * @param metricsRetain how long the metrics of each minute are kept, 1m to 3650d. Default: 30d
 * @param auditRetain how long the audit, and API keys that expired or were revoked, are kept, 1d to 3650d. Default: 90d
 */
public record HistoryConfig(
        Duration retain, Duration jobLogRetain, Duration keyRetain, Duration metricsRetain, Duration auditRetain) {

    static final Section SECTION = new Section("history");

    static final Setting<Duration> RETAIN =
            SECTION.setting("retain", ValueType.duration("1s", "3650d"), "7d", "how long ended jobs are kept");
    static final Setting<Duration> JOB_LOG_RETAIN = SECTION.setting(
            "job_log_retain",
            ValueType.duration("1d", "3650d"),
            "3d",
            "how long the log lines of jobs, and their attempts that did not end them, are kept");
    static final Setting<Duration> KEY_RETAIN = SECTION.setting(
            "key_retain",
            ValueType.duration("1s", "3650d"),
            "24h",
            "how long an idempotency key stays taken after its job ended");
    static final Setting<Duration> METRICS_RETAIN = SECTION.setting(
            "metrics_retain", ValueType.duration("1m", "3650d"), "30d", "how long the metrics of each minute are kept");
    static final Setting<Duration> AUDIT_RETAIN = SECTION.setting(
            "audit_retain",
            ValueType.duration("1d", "3650d"),
            "90d",
            "how long the audit, and API keys that expired or were revoked, are kept");

    static HistoryConfig from(Values values) {
        return new HistoryConfig(
                values.get(RETAIN),
                values.get(JOB_LOG_RETAIN),
                values.get(KEY_RETAIN),
                values.get(METRICS_RETAIN),
                values.get(AUDIT_RETAIN));
    }
}
