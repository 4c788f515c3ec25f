package dev.muster.config;

import java.util.Optional;

/**
 * The {@code [database]} section: where the cluster's PostgreSQL is and how to use it.
 *
 * @param url JDBC URL; absent when the host hands in a DataSource. Default: none
 * @param username user to connect as, unless the URL names one. Default: none
 * @param password password of that user; never shown. Default: none
 * @param poolSize most connections this node opens, 1 to 1000. Default: 10
 * @param schema schema that holds Muster's tables, a name that needs no quotes, 48 characters at most. Default: public
 * @param migrate what to do about the tables at start. Default: auto
 * @param profile which abilities of the database Muster may use. Default: full
 * @param wakeInTransaction whether enqueuing in the caller's own transaction also wakes workers. Default: auto
 */
public record DatabaseConfig(
        Optional<String> url,
        Optional<String> username,
        Optional<String> password,
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
    static final Setting<Integer> POOL_SIZE =
            SECTION.setting("pool_size", ValueType.integer(1, 1000), "10", "most connections this node opens");
    static final Setting<String> SCHEMA =
            SECTION.setting("schema", ValueType.schema(), "public", "schema that holds Muster's tables");
    static final Setting<Migrate> MIGRATE = SECTION.setting(
            "migrate",
            ValueType.choice(Migrate.class),
            "auto",
            "tables at start: auto brings them up to date, check refuses outdated ones, off does not look");
    static final Setting<Profile> PROFILE = SECTION.setting(
            "profile",
            ValueType.choice(Profile.class),
            "full",
            "full, or portable: nothing that a pooler in transaction mode or another engine lacks");
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
                values.get(POOL_SIZE),
                values.get(SCHEMA),
                values.get(MIGRATE),
                values.get(PROFILE),
                values.get(WAKE_IN_TRANSACTION));
    }

    /** What to do about Muster's tables at start. */
    public enum Migrate {
        /** Bring them up to date. */
        AUTO,
        /** Refuse to start when they are not up to date. */
        CHECK,
        /** Do not look. */
        OFF
    }

    /** Which abilities of the database Muster may use. */
    public enum Profile {
        /** Everything PostgreSQL has. */
        FULL,
        /**
         * Only what also works behind a pooler in transaction mode and on PostgreSQL-compatible engines: nothing that
         * belongs to a session, no LISTEN, no advisory lock, no statement prepared on the server.
         */
        PORTABLE
    }

    /** Whether enqueuing in the caller's own transaction also wakes workers. */
    public enum WakeInTransaction {
        /** Wake workers when the caller's transaction commits, where that does no harm. */
        AUTO,
        /** Never add a wake-up to the caller's transaction; workers find the job when they poll. */
        NEVER
    }

    /** Hides the password, also one inside the URL. */
    @Override
    public String toString() {
        return "DatabaseConfig[url=" + url.map(Secrets::hide)
                + ", username=" + username
                + ", password=" + password.map(hidden -> Secrets.MASK)
                + ", poolSize=" + poolSize
                + ", schema=" + schema
                + ", migrate=" + migrate
                + ", profile=" + profile
                + ", wakeInTransaction=" + wakeInTransaction
                + "]";
    }
}
