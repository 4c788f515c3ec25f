package dev.muster.cli.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.console.ExitCode;
import dev.muster.testkit.TestDatabase;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class MigrateIT {
    private TestDatabase database;

    @BeforeEach
    void create() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void drop() {
        database.close();
    }

    private Cli.Result inFreshSchema(String... args) {
        String[] all = Arrays.copyOf(args, args.length + 4);
        all[args.length] = "--url";
        all[args.length + 1] = database.url();
        all[args.length + 2] = "--set";
        all[args.length + 3] = "database.schema=fresh";
        return Cli.run(all);
    }

    private JsonNode first(JsonNode status) {
        assertThat(status.isArray()).isTrue();
        return status.get(0);
    }

    @Test
    void bringsTablesUpToDate() {
        assertThat(first(inFreshSchema("migrate", "status", "-o", "json").done().json())
                        .get("applied")
                        .asBoolean())
                .isFalse();
        assertThat(inFreshSchema("migrate", "status").out()).contains("V001__jobs", "pending");
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("applied V001__jobs");
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("already up to date");
        assertThat(first(inFreshSchema("migrate", "status", "-o", "json").json())
                        .get("applied")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void theScriptDoesTheSame() {
        String script = Cli.run("migrate", "sql", "--set", "database.schema=fresh")
                .done()
                .out();
        database.execute(script);
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("already up to date");
        inFreshSchema("jobs", "enqueue", "hello").done();
    }

    @Test
    void lookingChangesNothingAndEnqueuingPrepares() {
        inFreshSchema("jobs", "list").failed(ExitCode.FAILED, "muster migrate up");
        inFreshSchema("jobs", "enqueue", "hello").done();
        assertThat(inFreshSchema("jobs", "list").done().out()).contains("hello");
    }

    @Test
    void enqueuingKeepsOffWhenItIsToldTo() {
        inFreshSchema("jobs", "enqueue", "hello", "--set", "database.migrate=check")
                .failed(ExitCode.FAILED, "V001__jobs", "muster migrate up");
    }
}
