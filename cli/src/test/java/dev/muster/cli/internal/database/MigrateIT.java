package dev.muster.cli.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.postgres.internal.schema.Migrations;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class MigrateIT extends OnTestDatabase {
    private Cli.Result inFreshSchema(String... args) {
        String[] all = Arrays.copyOf(args, args.length + 4);
        all[args.length] = "--url";
        all[args.length + 1] = Cli.url(database);
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
        assertThat(inFreshSchema("migrate", "status").out()).contains("V001__clock", "R__views", "pending");
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("applied V001__clock");
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("already up to date");
        assertThat(first(inFreshSchema("migrate", "status", "-o", "json").json())
                        .get("applied")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void whoeverMigratesNeedsNoEncryptionKeys() {
        String[] required = {"--set", "encryption.required=true"};
        inFreshSchema(with(required, "migrate", "up")).done();
        inFreshSchema(with(required, "migrate", "status")).done();
        inFreshSchema(with(required, "migrate", "grants", "--role", "postgres")).done();
        inFreshSchema(with(required, "jobs", "list")).failed(ExitCode.USAGE, "encryption.required is true");
    }

    private static String[] with(String[] options, String... args) {
        return Stream.concat(Arrays.stream(args), Arrays.stream(options)).toArray(String[]::new);
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
    void functionsLookForTheirTablesAndAreCalledByTheSameRolesHoweverTheyWereMade() {
        String script = Cli.run("migrate", "sql", "--set", "database.schema=by_hand")
                .done()
                .out();
        assertThat(script).contains("SET LOCAL search_path TO by_hand, pg_temp;");
        database.execute(script);
        inFreshSchema("migrate", "up").done();
        assertThat(functions("by_hand")).isNotEmpty().isEqualTo(functions("fresh"));
        assertThat(functions("fresh")).allSatisfy(function -> {
            if (function.contains("search_path")) {
                assertThat(function).contains("\"search_path=SCHEMA, pg_temp\"");
            }
        });
        assertThat(database.column(
                        "SELECT proname FROM pg_proc p WHERE pronamespace = 'fresh'::regnamespace AND prosecdef"
                                + " AND has_function_privilege('public', p.oid, 'EXECUTE')"))
                .as("may be called by everybody and run with their owner's rights")
                .containsExactly("muster_timeline");
    }

    /** Each function of Muster with its settings and with whether everybody may call it. */
    private List<String> functions(String schema) {
        return database.column(
                "SELECT replace(replace(concat_ws(' ', proname, pg_get_function_identity_arguments(p.oid), proconfig::text,"
                        + " has_function_privilege('public', p.oid, 'EXECUTE')), 'search_path=" + schema
                        + "', 'search_path=SCHEMA'), ' " + schema + ".', ' SCHEMA.')"
                        + " FROM pg_proc p WHERE pronamespace = '" + schema + "'::regnamespace ORDER BY 1");
    }

    @Test
    void theScriptOfWhatIsMissingBringsAnOlderSchemaUpToDate() {
        String all = Cli.run("migrate", "sql", "--set", "database.schema=fresh").out();
        String older = all.substring(0, all.indexOf("\n-- V006__")) + "\nCOMMIT;";
        database.execute(older);

        String pending = inFreshSchema("migrate", "sql", "--pending").done().out();
        String named = Cli.run("migrate", "sql", "--from", "5", "--set", "database.schema=fresh")
                .done()
                .out();
        assertThat(pending)
                .isEqualTo(named)
                .contains("-- V006__", "-- V007__", "-- R__views.sql", "BEGIN;", "COMMIT;")
                .doesNotContain("-- V005__", "CREATE SCHEMA");
        assertThat(Cli.run("migrate", "sql", "--from", "V005", "--no-transaction", "--set", "database.schema=fresh")
                        .out())
                .contains("-- V006__")
                .doesNotContain("BEGIN;", "COMMIT;");

        database.execute(pending);
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("already up to date");
        assertThat(inFreshSchema("migrate", "sql", "--pending").done().out())
                .contains("no further migration")
                .doesNotContain("BEGIN");
    }

    @Test
    void peopleWithTheSettingsOfAnObserverAndWithoutKeysCanMigrate() {
        assertThat(Cli.run(
                                "migrate",
                                "up",
                                "--url",
                                Cli.url(database),
                                "--set",
                                "database.schema=watched",
                                "--set",
                                "node.mode=observer",
                                "--set",
                                "encryption.required=true")
                        .done()
                        .out())
                .contains("applied V001__clock");
    }

    private static String newestNumbered() {
        return Migrations.names().stream()
                .filter(name -> name.startsWith("V"))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Test
    void theScriptOfWhatIsMissingNamesFunctionsAndViewsThatHaveChanged() {
        inFreshSchema("migrate", "up").done();
        database.execute("UPDATE fresh.muster_migrations SET checksum = 'of another text' WHERE version = 'R__views'");
        String pending = inFreshSchema("migrate", "sql", "--pending").done().out();
        assertThat(pending).contains("-- R__views.sql").doesNotContain("-- R__functions", "-- V0");
        assertThat(inFreshSchema("migrate", "status").out()).containsPattern("R__views +pending");

        database.execute(pending);
        assertThat(inFreshSchema("migrate", "up").done().out()).contains("already up to date");
        assertThat(Cli.run("migrate", "sql", "--from", newestNumbered()).done().out())
                .as("without a database nobody knows which of them have changed")
                .contains("-- R__functions_claims.sql", "-- R__views.sql")
                .doesNotContain("-- V0");
    }

    @Test
    void tablesOfAnUnreleasedMusterAreRefused() {
        database.execute(
                "CREATE SCHEMA fresh; CREATE TABLE fresh.muster_migrations (version text PRIMARY KEY, applied_at"
                        + " timestamptz NOT NULL DEFAULT clock_timestamp()); INSERT INTO fresh.muster_migrations VALUES"
                        + " ('V001__jobs'), ('V002__job_life')");
        for (String command : List.of("up", "status")) {
            inFreshSchema("migrate", command).failed(ExitCode.FAILED, "never released", "V001__jobs", "Drop");
        }
    }

    @Test
    void aVersionThatDoesNotExistIsRefused() {
        Cli.run("migrate", "sql", "--from", "V999").failed(ExitCode.USAGE, "no migration 'V999'", "V001__clock");
        Cli.run("migrate", "sql", "--from", "1", "--pending").failed(ExitCode.USAGE, "give one of them");
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
                .failed(ExitCode.FAILED, "V001__clock", "muster migrate up");
    }
}
