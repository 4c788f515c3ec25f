package dev.muster.config;

import dev.muster.config.DurationText.InvalidDuration;
import java.time.Duration;

/** A duration within bounds, both inclusive. */
record DurationType(Duration min, Duration max) implements ValueType<Duration> {

    @Override
    public Duration parse(Object raw) throws BadValue {
        if (raw instanceof Number) {
            throw new BadValue("has no unit; write \"" + raw + "s\" for seconds, in quotes");
        }
        if (!(raw instanceof String text)) {
            throw new BadValue("is not a duration");
        }
        Duration duration;
        try {
            duration = DurationText.parse(text);
        } catch (InvalidDuration invalid) {
            throw new BadValue(invalid.reason());
        }
        if (duration.compareTo(min) < 0) {
            throw new BadValue(duration.isZero() ? "is zero" : "is too short");
        }
        if (duration.compareTo(max) > 0) {
            throw new BadValue("is too long");
        }
        return duration;
    }

    @Override
    public String show(Duration value) {
        return DurationText.format(value);
    }

    @Override
    public String allowed() {
        return "a duration from " + DurationText.format(min) + " to " + DurationText.format(max);
    }
}
