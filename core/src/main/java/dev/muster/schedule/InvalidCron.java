package dev.muster.schedule;

import dev.muster.internal.config.Nearest;
import dev.muster.runtime.MusterException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cron is not valid: its expression, its zone or its job is wrong, or it does not exist. */
public final class InvalidCron extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidCron(String message) {
        super(message);
    }

    public InvalidCron(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** There is no cron of this name; the message suggests an existing cron with a similar name. */
    public static InvalidCron noSuchCron(String name, List<CronInfo> crons) {
        List<String> known = crons.stream().map(CronInfo::name).toList();
        return new InvalidCron("there is no cron '" + name + "'" + Nearest.suggestion(name, known));
    }
}
