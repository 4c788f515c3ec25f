package dev.muster.internal.assembly;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** The version of the application that a node runs: what the builder was told, or else what a jar's manifest says. */
public final class ApplicationVersion {
    private static final int LONGEST = 100;

    private @Nullable String told;
    private @Nullable String packaged;

    public void set(String version) {
        if (!isPrintable(version)) {
            throw new MusterException("the version of an application has 1 to " + LONGEST
                    + " printable characters, which '" + version + "' has not");
        }
        told = version.strip();
    }

    /** This class belongs to the application. The first one whose jar has a version decides. */
    public void mayBeOf(Class<?> type) {
        if (packaged == null) {
            String version =
                    type.getPackage() == null ? null : type.getPackage().getImplementationVersion();
            packaged = version != null && isPrintable(version) ? version.strip() : null;
        }
    }

    private static boolean isPrintable(String version) {
        return !version.isBlank()
                && version.length() <= LONGEST
                && version.codePoints().noneMatch(Character::isISOControl);
    }

    @Nullable
    String get() {
        return told != null ? told : packaged;
    }
}
