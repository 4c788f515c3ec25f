package dev.muster.config;

import java.time.Duration;

/**
 * The {@code [scheduler]} section: how crons are fired.
 *
 * @param tick how soon a node notices that it leads, and how often it tries a cron that cannot be fired, 10ms to 1m. Default: 1s
 */
public record SchedulerConfig(Duration tick) {

    static final Section SECTION = new Section("scheduler");

    static final Setting<Duration> TICK = SECTION.setting(
            "tick", ValueType.duration("10ms", "1m"), "1s", "how soon a new leader begins to fire crons");

    static SchedulerConfig from(Values values) {
        return new SchedulerConfig(values.get(TICK));
    }
}
