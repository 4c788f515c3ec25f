package dev.muster.spring.internal;

import java.util.Arrays;
import java.util.Locale;

/** A property that only applications of Spring have, besides the settings that every node has. */
public enum StarterProperty {
    ENABLED("enabled", "java.lang.Boolean", "true", "whether the application has a Muster at all"),
    AUTO_STARTUP(
            "auto-startup",
            "java.lang.Boolean",
            "true",
            "whether the node joins the cluster with the application; if not, it can enqueue and read, and runs nothing"),
    KEEP_ALIVE(
            "keep-alive",
            "java.lang.Boolean",
            "true",
            "whether the node keeps an application without a web server running until it is told to stop"),
    DATA_SOURCE(
            "data-source",
            "java.lang.String",
            "",
            "name of the DataSource bean that Muster uses; needed if there are several and none is primary"),
    CONTROL_CONNECTION(
            "control-connection",
            "java.lang.String",
            "own",
            "where the one connection comes from that a node keeps: own is beside the pool, pool is a connection of the pool"),
    TRACING(
            "tracing.enabled",
            "java.lang.Boolean",
            "true",
            "whether jobs carry the trace of whoever enqueues them, if the application has OpenTelemetry"),
    GATEWAY_PATH(
            "gateway.path",
            "java.lang.String",
            "",
            "path below which the application's own web server serves the gateway and the dashboard, such as /muster");

    private final String property;
    private final String type;
    private final String defaultValue;
    private final String description;

    StarterProperty(String property, String type, String defaultValue, String description) {
        this.property = property;
        this.type = type;
        this.defaultValue = defaultValue;
        this.description = description;
    }

    /** The whole name: {@code muster.data-source}. */
    public String key() {
        return SpringSettings.PREFIX + property;
    }

    String type() {
        return type;
    }

    /** Empty if there is none. */
    String defaultValue() {
        return defaultValue;
    }

    String description() {
        return description;
    }

    static boolean isOne(String name) {
        return Arrays.stream(values()).anyMatch(each -> plain(each.property).equals(plain(name)));
    }

    static boolean isVariable(String name) {
        return Arrays.stream(values()).anyMatch(each -> plain(each.key()).equals(plain(name)));
    }

    private static String plain(String name) {
        return name.replaceAll("[-_.]", "").toLowerCase(Locale.ROOT);
    }
}
