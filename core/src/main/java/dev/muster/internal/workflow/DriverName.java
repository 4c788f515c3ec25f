package dev.muster.internal.workflow;

import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.runtime.Names;
import dev.muster.runtime.MusterException;

/** The names of drivers: {@code workflow:<name>:<version>:<first 8 digits of the signature>}. */
public final class DriverName {
    private static final int SIGNATURE_DIGITS = 8;
    private static final int MAX_LENGTH = 100;

    private DriverName() {}

    public static String of(String name, String version, String signature) {
        return DriverJobs.PREFIX + name + ":" + version + ":" + signature.substring(0, SIGNATURE_DIGITS);
    }

    /** Checks the name and version of a workflow. */
    static void check(String name, String version) {
        Names.require("workflow name", name);
        Names.requireVersion("workflow version", version);
        if (name.contains(":")) {
            throw new MusterException("the name of a workflow must not contain ':', as in " + name);
        }
        if (name.length() + version.length() > MAX_LENGTH) {
            throw new MusterException("the name and version of a workflow must have " + MAX_LENGTH
                    + " characters at most together, not " + (name.length() + version.length()));
        }
    }
}
