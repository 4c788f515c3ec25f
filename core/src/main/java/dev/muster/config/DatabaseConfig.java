package dev.muster.config;

import java.util.Optional;

/**
 * The {@code [database]} section: the cluster's PostgreSQL and how Muster uses it.
 *
 * @param url JDBC URL; absent if the program passes a DataSource. Default: none
 * @param username user to connect as, unless the URL names one. Default: none
 * @param password password of that user; never shown. Default: none
 * @param readUrl JDBC URL of a standby on which people read lists, jobs and metrics. Default: none
 * @param poolSize how many connections this node opens at most, 1 to 1000. Default: 10
 * @param schema schema that holds Muster's tables, a name that needs no quotes, 48 characters at most. Default: public
 * @param migrate what a node does at start if Muster's tables are missing or outdated. Default: auto
 * @param profile which features of the database Muster may use. Default: full
 * @param wakeInTransaction whether enqueuing in the caller's own transaction also wakes workers. Default: auto
 */
public record DatabaseConfig(
        Optional<String> url,
        Optional<String> username,
        Optional<String> password,
        Optional<String> readUrl,
        int poolSize,
        String schema,
        Migrate migrate,
        Profile profile,
        WakeInTransaction wakeInTransaction) {

    static final Section SECTION = new Section("database");

    static final Setting<Optional<String>> URL =
            SECTION.optional("url", ValueType.text(), "JDBC URL of the database, jdbc:postgresql://host/name");
    static final Setting<Optional<String>> USERNAME =
            SECTION.optional("username", ValueType.text(), "user to connect as, unless the URL names one");
    static final Setting<Optional<String>> PASSWORD = SECTION.secret("password", "password of that user");
    static final Setting<Optional<String>> READ_URL = SECTION.optionalOrNone(
            "read_url",
            ValueType.text(),
            "JDBC URL of a standby on which people read lists, jobs and metrics; without it they read at database.url");
    static final Setting<Integer> POOL_SIZE = SECTION.setting(
            "pool_size", ValueType.integer(1, 1000), "10", "how many connections this node opens at most");
    static final Setting<String> SCHEMA =
            SECTION.setting("schema", ValueType.schema(), "public", "schema that holds Muster's tables");
    static final Setting<Migrate> MIGRATE = SECTION.setting(
            "migrate",
            ValueType.choice(Migrate.class),
            "auto",
            "at start: auto updates Muster's tables, check refuses to start if they are outdated, off does nothing");
    static final Setting<Profile> PROFILE = SECTION.setting(
            "profile",
            ValueType.choice(Profile.class),
            "full",
            "full uses all features of PostgreSQL; portable only those that work behind a pooler in transaction mode");
    static final Setting<WakeInTransaction> WAKE_IN_TRANSACTION = SECTION.setting(
            "wake_in_transaction",
            ValueType.choice(WakeInTransaction.class),
            "auto",
            "whether enqueuing in the caller's own transaction also wakes workers: auto or never");

    static DatabaseConfig from(Values values) {
        return new DatabaseConfig(
                values.get(URL),
                values.get(USERNAME),
                values.get(PASSWORD),
                values.get(READ_URL),
                values.get(POOL_SIZE),
                values.get(SCHEMA),
                values.get(MIGRATE),
                values.get(PROFILE),
                values.get(WAKE_IN_TRANSACTION));
    }

    /** What a node does about Muster's tables at start. */
    public enum Migrate {
        /** The node brings them up to date. */
        AUTO,
        /** The node refuses to start if they are not up to date. */
        CHECK,
        /** The node does not check them. */
        OFF
    }

    /** Which features of the database Muster may use. */
    public enum Profile {
        /** All features of PostgreSQL. */
        FULL,
        /**
         * Only features that also work behind a pooler in transaction mode and on PostgreSQL-compatible engines: no LISTEN, no
         * session-level advisory lock, no server-side prepared statement, nothing else that belongs to a session.
         */
        PORTABLE
    }

    /** Whether enqueuing in the caller's own transaction also wakes workers. */
    public enum WakeInTransaction {
        /** The commit of the caller's transaction wakes workers, where that does no harm. */
        AUTO,
        /** Muster adds no wake-up to the caller's transaction; workers find the job when they poll. */
        NEVER
    }

    /** Hides the password, also inside the URL. */
    @Override
    public String toString() {
        return "DatabaseConfig[url=" + url.map(Secrets::hide)
                + ", username=" + username
                + ", password=" + password.map(hidden -> Secrets.MASK)
                + ", readUrl=" + readUrl.map(Secrets::hide)
                + ", poolSize=" + poolSize
                + ", schema=" + schema
                + ", migrate=" + migrate
                + ", profile=" + profile
                + ", wakeInTransaction=" + wakeInTransaction
                + "]";
    }
}
