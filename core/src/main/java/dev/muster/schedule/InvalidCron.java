package dev.muster.schedule;

import dev.muster.config.Nearest;
import dev.muster.runtime.MusterException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cron that cannot be: its expression, its zone or what it should do makes no sense. */
public final class InvalidCron extends MusterException {
    private static final long serialVersionUID = 1L;

    public InvalidCron(String message) {
        super(message);
    }

    public InvalidCron(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** There is no cron of this name; if one of those that there are has a similar name, the message says so. */
    public static InvalidCron noSuchCron(String name, List<CronInfo> crons) {
        List<String> known = crons.stream().map(CronInfo::name).toList();
        return new InvalidCron("there is no cron '" + name + "'" + Nearest.suggestion(name, known));
    }
}
