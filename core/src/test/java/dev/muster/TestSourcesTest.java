package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Rules for the tests of all modules, whose sources this test reads. The name of a test class says what it needs: {@code …IT}
 * starts a database, {@code …Test} starts none. A class starts a database if it calls what starts one, or uses a class of its
 * module's test sources that does. No test sleeps: it waits for what it wants to see. And none depends on luck that it could do
 * without, such as a seed that nobody sees or what other tests do on the same server.
 */
class TestSourcesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern STARTS_A_DATABASE = Pattern.compile(
            "@MusterTest\\b|\\bTestDatabase\\.from|\\bEmbeddedPostgres\\.(builder|shared)\\b|\\bTestDatabases\\.onSharedServer\\b|\\bCliProcess\\.start\\b");
    private static final Pattern TEST_METHOD =
            Pattern.compile("@(Test|ParameterizedTest|RepeatedTest|TestFactory|ArchTest)\\b");
    /** With what replaces a sleep, too: a thread that parks, and an Awaitility that waits longer than it need before it looks. */
    private static final Pattern SLEEPS =
            Pattern.compile("\\bThread\\.sleep\\b|(SECONDS|MINUTES)\\.sleep\\b|\\bparkNanos\\b"
                    + "|\\buntil\\(\\(\\) -> true\\)"
                    + "|\\bpollDelay\\((?!Duration\\.ZERO\\)|Duration\\.ofMillis\\((\\d{1,2}|100)\\)\\))");

    private static final Pattern RANDOM_WITHOUT_SEED = Pattern.compile("\\bnew (java\\.util\\.)?Random\\(\\)");
    private static final Pattern SERVER_WIDE = Pattern.compile("\\bpg_(stat_activity|locks)\\b");
    private static final Pattern OF_ITS_DATABASE =
            Pattern.compile("\\b(datname|current_database|pg_database|pg_backend_pid)\\b");
    private static final Pattern LONG_TEST = Pattern.compile("@LongTest\\(");
    private static final Pattern TWIN =
            Pattern.compile("@LongTest\\(\\s*twin = (?:\\w+\\.)*(\\w+)\\.class,\\s*test = (\\{[^}]*}|\"\\w+\")");
    private static final Pattern NAME_OF_TEST = Pattern.compile("\"(\\w+)\"");
    private static final Pattern METHOD = Pattern.compile(
            "((?:@[\\w.]+(?:\\([^@;]*?\\))?\\s+)+)(?:(?:public|protected|static|final) )*void (\\w+)\\(");
    private static final Pattern LONG_CLASS = Pattern.compile(
            "@LongTest\\([^)]*\\)\\s*(?:@\\w+(?:\\([^)]*\\))?\\s*)*(?:(?:public|abstract|final) )*class (\\w+)");
    /** Whoever compares a time that has passed with a limit: a duration, or what {@code System.nanoTime()} has counted. */
    private static final Pattern LIMIT_ON_TIME = Pattern.compile(
            "\\bisLessThan(OrEqualTo)?\\(\\s*((Duration\\.)?of(Nanos|Millis|Seconds|Minutes)\\(|\\w+\\.plus(Millis|Seconds|Minutes)\\()"
                    + "|\\b(nanoTime|currentTimeMillis)\\(\\) - \\w+[^;]*\\bisLessThan");

    private static final String SHORT =
            "(Duration\\.)?of(Seconds\\([1-5]?\\d\\)|Millis\\((\\d{1,4}|[1-5]?\\d_?\\d{3})\\))";
    private static final String SHORT_UNITS =
            "([1-5]?\\d, (TimeUnit\\.)?SECONDS|[\\d_]+, (TimeUnit\\.)?(MILLI|MICRO|NANO)SECONDS)\\)";
    private static final Pattern SHORT_WAIT = Pattern.compile("\\batMost\\((" + SHORT + "|" + SHORT_UNITS + ")"
            + "|\\.await\\([^();]+, " + SHORT
            + "|\\.(await|get|join|poll|offer|exchange|tryAcquire|tryLock|awaitTermination|waitFor)"
            + "\\(([^();]*, )?" + SHORT_UNITS);
    private static final Pattern SHORT_CONSTANT = Pattern.compile("\\b([A-Z_]+) = " + SHORT + ";");
    private static final Pattern LEASE = Pattern.compile("worker\\.lease\"?\\s*[=,]\\s*\"?(\\d+)(ms|s)\\b");
    private static final int SHORTEST_LEASE_MS = 5_000;

    /** What these compare with a limit is no time that passes while the test runs. */
    private static final Map<String, String> LIMITS_OF_OTHER_TIMES = Map.of(
            "core RetentionCleanerTest", "a clock that the test moves",
            "engine-tests CronIT", "by how much two times of the database differ",
            "engine-tests RateLimitWindowsIT", "how long a caller is told to wait: it gets shorter on a slow machine",
            "postgres PostgresNodeStoreIT", "a clock that is stopped");

    /** What these wait for so briefly may come or not. */
    private static final Map<String, String> SHORT_WAITS = Map.of(
            "core PumpTest", "two threads meet, or one of them tries again",
            "engine-tests EmptyConnectionPoolIT", "a job that takes half a second",
            "engine-tests ConcurrencyGroupsIT", "a job that stays for a moment",
            "engine-tests QueueLimitsIT", "a job that stays for a moment",
            "engine-tests ManagingJobsIT", "a call that fails at once",
            "engine-tests MembershipIT", "asks again and again until a job is not claimed any more",
            "postgres ControlConnectionIT", "asks again and again until it is told to end");

    /** A busy machine may make these leases end, and the test's verdict does not depend on it. */
    private static final Map<String, String> SHORT_LEASES = Map.of(
            "chaos MaxAttemptsOneIT", "the lease has to end, by the node's own clock",
            "core BuilderSettingsTest", "no node runs",
            "core MusterConfigTest", "no node runs",
            "engine-tests EngineIT", "SWEEPING is for nodes that hold no claims",
            "engine-tests JobFailuresIT", "the node claims nothing",
            "engine-tests EmptyConnectionPoolIT", "the leases have to end, because the node cannot renew them");

    private static final Pattern COMMENT_OR_STRING =
            Pattern.compile("/\\*.*?\\*/|//[^\n]*|\"(\\\\.|[^\"\\\\\n])*\"", Pattern.DOTALL);

    /** Has servers of its own, and the source text of an application, which waits as applications do. */
    private static final Set<String> EXCEPTIONS = Set.of("chaos FrozenPrimaryIT", "spring-boot3-starter RestartIT");

    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w*\\b");

    /** A module's folder, and its test classes by their names: the code without comments and strings, and the text. */
    private record TestSources(String folder, Map<String, String> code, Map<String, String> text) {

        static TestSources of(String folder) throws IOException {
            Map<String, String> code = new HashMap<>();
            Map<String, String> text = new HashMap<>();
            List<Path> files;
            try (Stream<Path> all = Files.walk(ROOT.resolve(folder).resolve("src/test/java"))) {
                files = all.filter(file -> file.toString().endsWith(".java")).toList();
            }
            for (Path file : files) {
                String name = file.getFileName().toString().replace(".java", "");
                String source = Files.readString(file);
                code.merge(name, COMMENT_OR_STRING.matcher(source).replaceAll(""), String::concat);
                text.merge(name, source, String::concat);
            }
            return new TestSources(folder, code, text);
        }

        boolean startsADatabase(String name) {
            return startsADatabase(name, new HashSet<>());
        }

        private boolean startsADatabase(String name, Set<String> seen) {
            String text = code.get(name);
            if (text == null || !seen.add(name)) {
                return false;
            }
            return STARTS_A_DATABASE.matcher(text).find()
                    || TYPE.matcher(text).results().anyMatch(type -> startsADatabase(type.group(), seen));
        }

        Stream<String> classes(Predicate<String> wanted) {
            return code.keySet().stream().filter(wanted).map(name -> folder + " " + name);
        }
    }

    private static List<TestSources> modules;

    @BeforeAll
    static void read() throws IOException {
        List<String> folders = Pattern.compile("<module>(.*?)</module>")
                .matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .filter(folder -> Files.isDirectory(ROOT.resolve(folder).resolve("src/test/java")))
                .toList();
        assertThat(folders).contains("core", "postgres", "engine-tests", "testkit", "cli", "chaos");
        modules = new ArrayList<>();
        for (String folder : folders) {
            modules.add(TestSources.of(folder));
        }
    }

    @Test
    void aTestStartsNoDatabase() {
        assertThat(modules.stream()
                        .flatMap(module ->
                                module.classes(name -> name.endsWith("Test") && module.startsADatabase(name))))
                .as("these start a database: call them …IT")
                .isEmpty();
    }

    @Test
    void anITStartsADatabase() {
        assertThat(modules.stream()
                        .flatMap(
                                module -> module.classes(name -> name.endsWith("IT") && !module.startsADatabase(name))))
                .as("these start no database: call them …Test")
                .isEmpty();
    }

    /** Surefire runs only classes with these endings: nobody would notice that another one is never run. */
    @Test
    void aClassWithTestsHasOneOfTheTwoEndings() {
        assertThat(modules.stream()
                        .flatMap(module -> module.classes(name -> !name.endsWith("Test")
                                && !name.endsWith("IT")
                                && TEST_METHOD.matcher(module.code().get(name)).find())))
                .as("these are never run")
                .isEmpty();
    }

    @Test
    void noTestSleeps() {
        assertNone(
                "these sleep: wait with Awaitility, for a signal, or with Periods.nothingHappensFor",
                (module, name) -> (name.endsWith("Test") || name.endsWith("IT"))
                        && SLEEPS.matcher(module.code().get(name)).find());
    }

    @Test
    void whatIsRandomHasASeedThatIsPrinted() {
        assertNone(
                "these choose at random, and nobody can repeat it: new Random(Seeds.next(getClass()))",
                (module, name) ->
                        RANDOM_WITHOUT_SEED.matcher(module.code().get(name)).find());
    }

    /** Tests share a server: other databases have sessions and locks of their own, on tables with the same oids. */
    @Test
    void aTestLooksAtItsOwnDatabaseOnly() {
        assertNone(
                "these see the sessions or locks of other tests: add datname = current_database()",
                (module, name) -> Stream.of(module.text().get(name).split(";"))
                        .anyMatch(statement -> SERVER_WIDE.matcher(statement).find()
                                && !OF_ITS_DATABASE.matcher(statement).find()));
    }

    @Test
    void aLongTestHasATwinThatAlwaysRuns() {
        assertNone("these name no test of a twin that ./verify runs", (module, name) -> {
            String text = module.text().get(name);
            List<MatchResult> twins = TWIN.matcher(text).results().toList();
            return LONG_TEST.matcher(module.code().get(name)).results().count() != twins.size()
                    || twins.stream()
                            .anyMatch(twin -> !testsThatAlwaysRun(module, twin.group(1))
                                    .containsAll(NAME_OF_TEST
                                            .matcher(twin.group(2))
                                            .results()
                                            .map(test -> test.group(1))
                                            .toList()));
        });
    }

    /** The test methods of a class of this module or, if it has none of that name, of another one. */
    private static Set<String> testsThatAlwaysRun(TestSources module, String name) {
        String code = Stream.concat(Stream.of(module), modules.stream())
                .map(each -> each.code().getOrDefault(name, ""))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse("");
        if (LONG_CLASS.matcher(code).results().anyMatch(type -> type.group(1).equals(name))) {
            return Set.of();
        }
        return METHOD.matcher(code)
                .results()
                .filter(method -> TEST_METHOD.matcher(method.group(1)).find()
                        && !LONG_TEST.matcher(method.group(1)).find())
                .map(method -> method.group(2))
                .collect(Collectors.toSet());
    }

    @Test
    void noTestLimitsTheTimeThatSomethingTakes() {
        assertNoneBut(
                LIMITS_OF_OTHER_TIMES,
                "these have an upper limit on elapsed time, which a busy machine exceeds: Measured.within, or count something",
                (module, name) -> LIMIT_ON_TIME.matcher(module.code().get(name)).find());
    }

    @Test
    void noTestGivesUpBeforeABusyMachineIsReady() {
        assertNoneBut(
                SHORT_WAITS,
                "these wait for less than a minute: await() without a limit; what does not happen: Periods.nothingHappensFor",
                (module, name) -> {
                    String code = module.code().get(name);
                    return SHORT_WAIT.matcher(code).find()
                            || SHORT_CONSTANT
                                    .matcher(code)
                                    .results()
                                    .anyMatch(constant -> code.contains("atMost(" + constant.group(1) + ")"));
                });
    }

    /** A node that is late loses such a lease, its jobs run again, and they are charged with a crash. */
    @Test
    void noNodeHasALeaseThatABusyMachineDoesNotKeep() {
        assertNoneBut(
                SHORT_LEASES,
                "these have a worker.lease below 5 s: give the node 60s, and let the database's clock pass a lease that must end",
                (module, name) -> LEASE.matcher(module.text().get(name))
                        .results()
                        .anyMatch(lease ->
                                Long.parseLong(lease.group(1)) * (lease.group(2).equals("s") ? 1_000 : 1)
                                        < SHORTEST_LEASE_MS));
    }

    private static void assertNone(String problem, BiPredicate<TestSources, String> broken) {
        assertThat(modules.stream()
                        .flatMap(module -> module.classes(name -> broken.test(module, name)))
                        .filter(name -> !EXCEPTIONS.contains(name)))
                .as(problem)
                .isEmpty();
    }

    /** @param reasons why these classes may; each of them still does */
    private static void assertNoneBut(
            Map<String, String> reasons, String problem, BiPredicate<TestSources, String> broken) {
        List<String> found = modules.stream()
                .flatMap(module -> module.classes(name -> broken.test(module, name)))
                .toList();
        assertThat(found).as(problem).isSubsetOf(reasons.keySet());
        assertThat(found).as("an exception that nobody needs any more").containsAll(reasons.keySet());
    }
}
