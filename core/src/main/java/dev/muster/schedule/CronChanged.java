package dev.muster.schedule;

import dev.muster.runtime.MusterException;

/** Somebody else has changed the cron since the caller has read it. */
public final class CronChanged extends MusterException {
    private static final long serialVersionUID = 1L;

    public CronChanged(String name) {
        super("cron '" + name + "' was changed by someone else; read it again before you change it");
    }
}
