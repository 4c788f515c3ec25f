package dev.muster.spring.internal;

import dev.muster.runtime.MusterException;
import java.util.regex.Pattern;
import org.springframework.core.env.Environment;

/** The path below which the application's web server serves the gateway. */
public final class MountPath {
    private static final Pattern ALLOWED = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    private MountPath() {}

    /** @throws MusterException if {@code muster.gateway.path} is no path */
    public static String in(Environment environment) {
        String path =
                environment.getProperty(StarterProperty.GATEWAY_PATH.key(), "").strip();
        if (!ALLOWED.matcher(path).matches()) {
            throw new MusterException(StarterProperty.GATEWAY_PATH.key() + " = " + path
                    + " is not a path; write one such as /muster, which begins with a slash and does not end with one");
        }
        return path;
    }
}
