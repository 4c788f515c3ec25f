package dev.muster.config;

import dev.muster.config.DatabaseConfig.Profile;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.config.WorkerConfig.Wakeup;

/** Applies the defaults that {@code database.profile} changes. */
final class Profiles {
    /** The source of a value that the profile chose. */
    static final String SOURCE = "database.profile";

    private Profiles() {}

    static Values apply(Values values) {
        boolean portable = values.get(DatabaseConfig.PROFILE) == Profile.PORTABLE;
        Values changed = choose(values, LeaderConfig.STRATEGY, portable, Strategy.LEASE);
        return choose(changed, WorkerConfig.WAKEUP, portable, Wakeup.NONE);
    }

    private static <T> Values choose(Values values, Setting<T> setting, boolean portable, T forPortable) {
        String source = values.source(setting);
        if (portable && source.equals(Values.DEFAULT)) {
            return values.with(setting, forPortable, SOURCE);
        }
        return !portable && source.equals(SOURCE) ? values.without(setting) : values;
    }
}
