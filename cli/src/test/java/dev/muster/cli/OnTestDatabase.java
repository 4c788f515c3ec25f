package dev.muster.cli;

import dev.muster.testkit.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.JsonNode;

/** A test of commands: each method has a database of its own. */
public abstract class OnTestDatabase {
    protected TestDatabase database;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    /** What a command prints with {@code -o json}; it has to succeed. */
    protected final JsonNode asJson(String... args) {
        String[] all = new String[args.length + 2];
        System.arraycopy(args, 0, all, 0, args.length);
        all[args.length] = "-o";
        all[args.length + 1] = "json";
        return Cli.on(database, all).done().json();
    }
}
