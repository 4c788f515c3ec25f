package dev.muster.config;

/**
 * The {@code [rate_limit]} section: how {@code muster.rateLimits()} counts.
 *
 * @param mode where permits are counted. Default: hybrid
 */
public record RateLimitConfig(Mode mode) {

    static final Section SECTION = new Section("rate_limit");

    static final Setting<Mode> MODE = SECTION.setting(
            "mode",
            ValueType.choice(Mode.class),
            "hybrid",
            "where permits are counted: strict or reserved in the database; hybrid: users and addresses on each node");

    static RateLimitConfig from(Values values) {
        return new RateLimitConfig(values.get(MODE));
    }

    /** Where permits are counted. */
    public enum Mode {
        /** Users and addresses in the memory of each node, tenants and global keys in the database. */
        HYBRID,
        /** In the database, with every call. */
        STRICT,
        /** In the database; each node takes a twentieth of a window at a time. */
        RESERVED
    }
}
