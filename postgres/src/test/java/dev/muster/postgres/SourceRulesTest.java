package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.postgres.internal.db.SqlFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules about string literals, which ArchUnit cannot see. */
class SourceRulesTest {
    private static final Path SOURCES = Path.of("src/main/java");
    private static final Path STATEMENTS = Path.of("src/main/resources/dev/muster/postgres");
    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);
    private static final Pattern LITERAL = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"");
    private static final Pattern SQL =
            Pattern.compile("\\b(SELECT|INSERT|UPDATE|DELETE|LOCK TABLE|CREATE|ALTER|DROP)\\b");

    /** A whole code, or the first characters of some. No other literal of two digits is compared with anything here. */
    private static final Pattern SQLSTATE = Pattern.compile("\"(?:[0-9][0-9A-Z](?:[0-9A-Z]{3})?|57P)\"");

    /** Classes that may hold SQL in their literals. */
    private static final Map<String, String> MAY_HOLD_SQL = Map.of(
            "ControlConnection", "asks whether the server answers",
            "ControlSession", "asks the server about itself and the session, on a connection without a schema",
            "PoolerProbe", "asks which session it is in",
            "PrimaryDataSource", "asks each server whether it is the primary, before anything else is known",
            "ServerTimeline", "an error message tells the operator which statement to run",
            "ExchangeTransaction", "sets the time limit of the first scan",
            "Grants", "writes the GRANT statements that it prints",
            "Migrations", "creates the table that says which migration files were applied");

    @Test
    void statementsStandInSqlFiles() {
        Set<String> holders = new TreeSet<>();
        for (Path source : javaFiles()) {
            if (literals(source).anyMatch(literal -> SQL.matcher(literal).find())) {
                holders.add(className(source));
            }
        }
        assertThat(holders).isEqualTo(new TreeSet<>(MAY_HOLD_SQL.keySet()));
    }

    @Test
    void oneClassKnowsTheSqlStates() {
        assertThat(javaFiles())
                .filteredOn(source -> literals(source)
                        .anyMatch(literal -> SQLSTATE.matcher(literal).matches()))
                .extracting(SourceRulesTest::className)
                .containsExactly("SqlStates");
    }

    @Test
    void everyStatementSaysWhatItIsFor() {
        assertThat(files(STATEMENTS, ".sql"))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(read(file)).startsWith("--"));
    }

    /** A phrase by which an error is recognised has one text. Whoever repeats it would keep looking for what is no longer written. */
    @Test
    void phrasesOfErrorsStandInOnePlace() {
        Stream<Path> gateway = files(Path.of("../gateway/src/main/java"), ".java").stream();
        List<String> repeated = Stream.of(javaFiles().stream(), files(STATEMENTS, ".sql").stream(), gateway)
                .flatMap(files -> files)
                .flatMap(file -> Stream.of(EnginePhrase.values())
                        .filter(phrase -> repeats(file, phrase.text()))
                        .map(phrase -> file + " has the text of " + phrase))
                .toList();
        assertThat(repeated).isEmpty();
    }

    /** Whether a literal is the phrase, alone or as a pattern. Comments may quote it. */
    private static boolean repeats(Path file, String phrase) {
        if (file.toString().endsWith(".sql")) {
            String statement = SqlFiles.withoutComments(read(file));
            return statement.contains("'" + phrase + "'") || statement.contains("'" + phrase + "%'");
        }
        return literals(file).anyMatch(('"' + phrase + '"')::equals);
    }

    @Test
    void eachPhraseIsNamedInAStatement() {
        String statements =
                files(STATEMENTS, ".sql").stream().map(SourceRulesTest::read).collect(Collectors.joining());
        assertThat(EnginePhrase.values())
                .allMatch(
                        phrase -> statements.contains("{phrase:" + phrase.name().toLowerCase(Locale.ROOT) + "}"));
    }

    /** A file that nothing names can be edited without any effect. */
    @Test
    void everyStatementIsUsed() {
        String code = Stream.concat(javaFiles().stream(), files(STATEMENTS, ".sql").stream())
                .map(SourceRulesTest::read)
                .collect(Collectors.joining());
        assertThat(files(STATEMENTS, ".sql"))
                .extracting(file -> STATEMENTS.relativize(file).toString().replace(".sql", ""))
                .filteredOn(name -> !name.startsWith("migrations/"))
                .isNotEmpty()
                .allMatch(name -> code.contains('"' + name + '"') || code.contains('{' + name + '}'));
    }

    /**
     * A statement that writes a value of a user has a line here that says who has sealed it: {@code Payloads} seals nothing but a {@code
     * StorableJson}, and only that cannot grow when it is read.
     */
    private static final Map<String, String> WRITES_JSON = Map.ofEntries(
            Map.entry("jobs/enqueue.sql", "NewJob.args and NewJob.metadata: RequestChecker"),
            Map.entry("jobs/enqueue_plain.sql", "NewJob.args: RequestChecker"),
            Map.entry("jobs/enqueue_traced.sql", "NewJob.args: RequestChecker"),
            Map.entry("jobs/copy.sql", "NewJob.args and NewJob.metadata: RequestChecker"),
            Map.entry("jobs/copy_batched.sql", "NewJob.args and NewJob.metadata: RequestChecker"),
            Map.entry("jobs/copy_traced.sql", "NewJob.args and NewJob.metadata: RequestChecker"),
            Map.entry("jobs/parts/finished_into_history.sql", "Outcome.Completed.result: AttemptRules"),
            Map.entry("batches/add_job.sql", "NewJob.args and NewJob.metadata: RequestChecker"),
            Map.entry("crons/create.sql", "CronDefinition.args: CronJobs"),
            Map.entry("crons/publish.sql", "CronDefinition.args: null for crons in code"),
            Map.entry("crons/update.sql", "CronDefinition.args: CronJobs"),
            Map.entry("graphs/add_tasks.sql", "NewTask.inputs: DatabaseGraphs; NewTask.metadata: RequestChecker"),
            Map.entry("workflows/start.sql", "NewRun.input: DatabaseWorkflows and WorkflowEngine"),
            Map.entry("workflows/call_signal.sql", "the payload: DatabaseWorkflows"),
            Map.entry("workflows/save_steps.sql", "StepRow.result and StepRow.compensationArgs: StepCall"),
            Map.entry("workflows/save_new_steps.sql", "StepRow.result and StepRow.compensationArgs: StepCall"),
            Map.entry("workflows/end.sql", "Ended.result and Ended.successor: Activation"),
            Map.entry("workflows/end_alone.sql", "Ended.result: Activation"),
            Map.entry("nodes/join.sql", "what a node publishes of its own handlers and functions"),
            Map.entry("nodes/parts/write_heartbeat.sql", "what a node publishes of its own executors"),
            Map.entry("jobs/keys.sql", "stores nothing: hashes what is about to be stored"),
            Map.entry("jobs/key_uses.sql", "stores nothing: looks for the ids of encryption keys"),
            Map.entry("batches/due.sql", "stores nothing: ids of jobs"));

    private static final Pattern JSON = Pattern.compile("::jsonb|\\bCOPY \\{schema}\\.muster_jobs\\b");

    @Test
    void everyStatementThatWritesJsonIsKnown() {
        Set<String> writers = files(STATEMENTS, ".sql").stream()
                .filter(file -> !file.startsWith(STATEMENTS.resolve("migrations")))
                .filter(file -> JSON.matcher(
                                read(file).replaceAll("--[^\n]*", "").replace("NULL::jsonb", ""))
                        .find())
                .map(file -> STATEMENTS.relativize(file).toString())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(writers).isEqualTo(new TreeSet<>(WRITES_JSON.keySet()));
    }

    private static final Pattern DISABLES_A_METHOD = Pattern.compile("enable_[a-z]+(?: = off\\b|', 'off')");

    /**
     * A plan with a method that is disabled looks expensive, however little it does. PostgreSQL would compile it first, which takes seconds of a
     * processor where a table has a partition for each day.
     */
    @Test
    void whoeverDisablesMethodsOfThePlannerDisablesItsCompilerToo() {
        List<Path> disabling = files(STATEMENTS, ".sql").stream()
                .filter(file -> DISABLES_A_METHOD.matcher(read(file)).find())
                .toList();
        assertThat(disabling).isNotEmpty().allSatisfy(file -> {
            for (String block : read(file).split("CREATE OR REPLACE FUNCTION")) {
                if (DISABLES_A_METHOD.matcher(block).find()) {
                    assertThat(block).containsPattern("SET jit = off|'jit', 'off'|many_rows}");
                }
            }
        });
    }

    /** It removes the first of what it has found, and moves all others, for each row that it returns: 350,000 numbers took a minute. */
    @Test
    void nothingReturnsTheItemsOfAPathRowByRow() {
        assertThat(files(STATEMENTS, ".sql"))
                .allSatisfy(file -> assertThat(read(file).replaceAll("--[^\n]*", ""))
                        .doesNotContainPattern("jsonb_path_query(_tz)?\\s*\\("));
    }

    private static Stream<String> literals(Path source) {
        String code = COMMENT.matcher(withoutSlashes(read(source))).replaceAll("");
        return LITERAL.matcher(code).results().map(found -> found.group());
    }

    /** Literals with "//" or "/*" in them would be taken for comments. */
    private static String withoutSlashes(String code) {
        return LITERAL.matcher(code)
                .replaceAll(found -> Matcher.quoteReplacement(found.group().replace('/', '|')));
    }

    private static String className(Path source) {
        return source.getFileName().toString().replace(".java", "");
    }

    private static List<Path> javaFiles() {
        return files(SOURCES, ".java");
    }

    private static List<Path> files(Path root, String suffix) {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
