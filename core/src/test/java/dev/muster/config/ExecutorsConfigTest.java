package dev.muster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.RoutingConfig.Rule;
import dev.muster.runtime.NamePattern;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sections {@code [routing]} and {@code [executors.NAME]}. */
class ExecutorsConfigTest {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    @Test
    void withoutSettingsThereIsOneExecutorForAllJobs() {
        MusterConfig config = MusterConfig.defaults();

        assertThat(config.routing()).isEqualTo(new RoutingConfig(List.of(), Optional.of("default")));
        assertThat(config.executors().byName()).containsExactly(Map.entry("default", threads("default", 16)));
        assertThat(config.with("worker.concurrency", "3")
                        .executors()
                        .byName()
                        .get("default")
                        .size())
                .isEqualTo(3);
    }

    @Test
    void rulesKeepTheirOrderInFileAndText() {
        Map<String, Object> executors = Map.of("gpu", Map.of(), "big", Map.of());
        MusterConfig file = load(toml(ordered(
                "routing",
                ordered(
                        "rules",
                        List.of(
                                Map.of("match", "ml::*", "executor", "gpu"),
                                Map.of("match", "heavy_*", "executor", "big"),
                                Map.of("match", "**", "executor", "gpu"))),
                "executors",
                executors)));
        MusterConfig text = load(
                toml(ordered("executors", executors)),
                environment("MUSTER_ROUTING_RULES", "ml::*=gpu, heavy_*=big,**=gpu"));

        assertThat(file.routing().rules())
                .containsExactly(rule("ml::*", "gpu"), rule("heavy_*", "big"), rule("**", "gpu"));
        assertThat(text.routing()).isEqualTo(file.routing());
        assertThat(load(toml(ordered(
                                "routing.rules",
                                List.of("ml::*=gpu", "heavy_*=big", "**=gpu"),
                                "executors",
                                executors)))
                        .routing())
                .isEqualTo(file.routing());
        assertThat(entry(file, "routing.rules"))
                .returns("ml::*=gpu,heavy_*=big,**=gpu", ConfigEntry::value)
                .returns("muster.toml", ConfigEntry::source);
        assertThat(file.with("routing.rules", "").routing().rules()).isEmpty();
    }

    @Test
    void aRuleThatIsWrongIsNamedByItsNumber() {
        assertThat(problems(toml(ordered(
                        "routing",
                        ordered(
                                "rules",
                                List.of(
                                        ordered("match", "ml::*", "excutor", "gpu"),
                                        ordered("match", "ml::*"),
                                        ordered("match", "ml::*", "executor", "default"),
                                        ordered("match", "a***", "executor", "default"),
                                        ordered("match", 5, "executor", "default"),
                                        ordered("match", "a", "executor", "GPU"),
                                        7))))))
                .singleElement()
                .asString()
                .startsWith("routing.rules = [{match=ml::*, excutor=gpu}, ")
                .contains(
                        " (from muster.toml) has a rule, number 1, with the unknown key 'excutor'; did you mean 'executor'?;")
                .contains("; it has a rule, number 2, without the key 'executor';")
                .doesNotContain("number 3")
                .contains("; it has a rule, number 4, that is refused: pattern 'a***' has three stars in a row;")
                .contains("; it has a rule, number 5, whose pattern 5 is not text;")
                .contains("; it has a rule, number 6, whose executor \"GPU\" is not the name of an executor;")
                .contains("; it has a rule, number 7, that is not pattern=executor;")
                .endsWith("; allowed: [[routing.rules]] with match = \"ml::*\" and executor = \"gpu\","
                        + " or ml::*=gpu,heavy_*=big as text");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "routing.rules | ml::* | has a rule, number 1, that is not pattern=executor; allowed:",
                "routing.rules | ml::*=default,=default | has a rule, number 2, that is refused: an empty pattern",
                "routing.rules | ml::*= | has a rule, number 1, whose executor \"\" is not the name of an executor",
                "routing.rules | ml::*=none | has a rule, number 1, whose executor \"none\" is refused: no executor can be",
                "routing.default | GPU | is not the name of an executor; allowed: none, or the name of an executor",
                "executors.gpu.kind | fibers | is not one of the choices; allowed: threads, virtual, process or custom",
                "executors.gpu.size | 0 | is too small; allowed: auto, or a whole number from 1 to 10000",
                "executors.gpu.size | 10001 | is too large; allowed: auto, or a whole number from 1 to 10000",
                "executors.gpu.queue | 4001 | is too large; allowed: auto, or a whole number from 0 to 4000",
                "executors.gpu.command | sh -c 'a b' | has a quotation mark, but as text it is only split at blanks",
                "executors.gpu.jobs | Resize | is refused: job 'Resize' is not allowed",
                "executors.gpu.jobs | a,a | lists 'a' twice",
                "executors.gpu.memory | 512 | has no unit; write \"512m\" for megabytes, in quotes; allowed: none, or an",
                "executors.gpu.memory | lots | is not an amount of memory; allowed: none, or an amount of memory from 16m",
                "executors.gpu.memory | 1k | is too small",
                "executors.gpu.memory | 1025g | is too large",
                "executors.gpu.memory | 17179869185g | is too large",
                "executors.gpu.memory | 999999999999999999k | is too large",
                "executors.gpu.memory | -2g | is not an amount of memory",
            })
    void saysWhatIsWrongWithAValueAndWhatIsAllowed(String key, String value, String reason) {
        assertThatThrownBy(() -> MusterConfig.defaults().with(key, value == null ? "" : value))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(
                        "1 problem in the settings:\n  " + key + " = \"" + value + "\" (from builder) " + reason);
    }

    @Test
    void executorsAreDefinedInTheFileAndKeepTheirOrder() {
        MusterConfig config = load(toml(ordered(
                "worker",
                ordered("concurrency", 8, "prefetch", 5),
                "executors",
                ordered(
                        "zoo",
                        Map.of(),
                        "gpu",
                        ordered("size", 2, "queue", 0),
                        "default",
                        ordered("size", 6),
                        "py",
                        ordered(
                                "kind",
                                "process",
                                "command",
                                List.of("python3", "my worker.py", ""),
                                "jobs",
                                List.of("resize", "img::crop"),
                                "memory",
                                "1536m"),
                        "own",
                        ordered("kind", "custom", "queue", "auto")))));

        assertThat(config.executors().byName().keySet()).containsExactly("default", "zoo", "gpu", "py", "own");
        assertThat(config.executors().byName().values())
                .containsExactly(
                        executor("default", Kind.THREADS, 6, 5),
                        executor("zoo", Kind.THREADS, 8, 5),
                        executor("gpu", Kind.THREADS, 2, 0),
                        new ExecutorConfig(
                                "py",
                                Kind.PROCESS,
                                PROCESSORS,
                                Optional.of(5),
                                List.of("python3", "my worker.py", ""),
                                List.of("resize", "img::crop"),
                                OptionalLong.of(1536L << 20)),
                        executor("own", Kind.CUSTOM, 10_000, 5));
        assertThat(config.executors().listing("img::crop").map(ExecutorConfig::name))
                .contains("py");
        assertThat(config.executors().listing("mail")).isEmpty();
        assertThat(entry(config, "executors.py.command").value()).isEqualTo("python3 'my worker.py' ''");
        assertThat(entry(config, "executors.py.memory").value()).isEqualTo("1536m");
        assertThat(entry(config, "executors.zoo.size")).returns("auto", ConfigEntry::value);
        assertThat(entry(config, "executors.zoo.size")).returns("default", ConfigEntry::source);
        assertThat(entry(config, "executors.gpu.size")).returns("muster.toml", ConfigEntry::source);
    }

    @Test
    void aLaterSourceWinsKeyByKey() {
        MusterConfig config = load(
                        toml(ordered("executors", ordered("gpu", ordered("size", 2, "queue", 1)))),
                        environment(
                                "MUSTER_EXECUTORS_GPU_SIZE", "3",
                                "MUSTER_EXECUTORS_DEFAULT_SIZE", "9",
                                "MUSTER_EXECUTORS_PY_KIND", "process",
                                "MUSTER_EXECUTORS_PY_COMMAND", " python3  worker.py ",
                                "MUSTER_EXECUTORS_PY_JOBS", "resize, crop",
                                "MUSTER_EXECUTORS_PY_MEMORY", "2G"))
                .with(Map.of("executors.gpu.queue", "7", "executors.new.size", "1"));

        assertThat(config.executors().byName().values())
                .containsExactly(
                        threads("default", 9),
                        executor("gpu", Kind.THREADS, 3, 7),
                        new ExecutorConfig(
                                "py",
                                Kind.PROCESS,
                                PROCESSORS,
                                Optional.empty(),
                                List.of("python3", "worker.py"),
                                List.of("resize", "crop"),
                                OptionalLong.of(2L << 30)),
                        threads("new", 1));
        assertThat(entry(config, "executors.gpu.size").source()).isEqualTo("MUSTER_EXECUTORS_GPU_SIZE");
        assertThat(entry(config, "executors.gpu.queue").source()).isEqualTo("builder");
        assertThat(entry(config, "executors.py.memory").value()).isEqualTo("2g");
        assertThat(config.with("executors.py.memory", "none")
                        .executors()
                        .byName()
                        .get("py")
                        .memoryBytes())
                .isEmpty();
    }

    @Test
    void aVariableMeetsTheExecutorWhoseNameHasADash() {
        MusterConfig config = load(
                toml(ordered("executors", ordered("big-box", ordered("size", 2), "a-b_c", ordered("size", 2)))),
                environment("MUSTER_EXECUTORS_BIG_BOX_SIZE", "5", "MUSTER_EXECUTORS_A_B_C_SIZE", "6"));

        assertThat(config.executors().byName().values())
                .containsExactly(threads("default", 16), threads("big-box", 5), threads("a-b_c", 6));
        assertThat(load(environment("MUSTER_EXECUTORS_BIG_BOX_SIZE", "5"))
                        .executors()
                        .byName())
                .containsKey("big_box");
    }

    @Test
    void namesThatAVariableCannotTellApartAreRefused() {
        assertThat(problems(
                        environment("MUSTER_EXECUTORS_BIG_BOX_SIZE", "5"),
                        ConfigSource.of("builder", Map.of("executors.big-box.queue", "2"))))
                .containsExactly("executors.big-box (from builder) and executors.big_box (from"
                        + " MUSTER_EXECUTORS_BIG_BOX_SIZE) differ only in '-' and '_', which are the same in variables;"
                        + " give one of them another name");
    }

    @Test
    void variablesInTheFileAreReplaced() {
        MusterConfig config = load(toml(ordered(
                        "routing",
                        ordered("rules", List.of(ordered("match", "${TEAM}::*", "executor", "${POOL:-gpu}"))),
                        "executors",
                        ordered(
                                "gpu",
                                ordered("size", "${SLOTS:-4}"),
                                "py",
                                ordered(
                                        "kind",
                                        "process",
                                        "command",
                                        List.of("${PYTHON}", "$$HOME"),
                                        "jobs",
                                        List.of("${TEAM}::resize")))))
                .expanded(Map.of("TEAM", "ml", "PYTHON", "/usr/bin/python3")));

        assertThat(config.routing().rules()).containsExactly(rule("ml::*", "gpu"));
        assertThat(config.executors().byName().get("gpu").size()).isEqualTo(4);
        assertThat(config.executors().byName().get("py").command()).containsExactly("/usr/bin/python3", "$HOME");
        assertThat(config.executors().byName().get("py").jobs()).containsExactly("ml::resize");
    }

    @Test
    void unknownKeysAndBadNamesAreProblems() {
        assertThat(problems(
                        toml(ordered(
                                "executors",
                                ordered(
                                        "gpu", ordered("sise", 2, "pool_size", 3),
                                        "GPU", ordered("size", 2),
                                        "none", ordered("size", 2),
                                        "size", 4,
                                        "io", 5))),
                        toml(ordered("executor", ordered("gpu", ordered("size", 2)))),
                        toml(ordered("executors", 5)),
                        environment(
                                "MUSTER_EXECUTORS_GPU_SISE", "2",
                                "MUSTER_EXECUTORS_NONE_SIZE", "2",
                                "MUSTER_EXECUTORS_SIZE", "2",
                                "MUSTER_EXECUTORS_gpu_SIZE", "2",
                                "MUSTER_EXECUTOR_GPU_SIZE", "2",
                                "MUSTER_ROUTING_RULE", "a=b"),
                        ConfigSource.of("builder", ordered("executor.gpu.size", "3", "executors.9x.size", "3"))))
                .containsExactly(
                        "executors.gpu.sise = 2 (from muster.toml) is not a setting; did you mean executors.gpu.size?",
                        "executors.gpu.pool_size = 3 (from muster.toml) is not a setting;"
                                + " did you mean executors.gpu.size?",
                        "executors.GPU (from muster.toml) is for the executor 'GPU', which is not the name of an executor;"
                                + " allowed: the name of an executor, which starts with a-z and holds only a-z, 0-9, '_'"
                                + " and '-', 40 characters at most",
                        "executors.none (from muster.toml) is for the executor 'none', which is refused: no executor can"
                                + " be named none, because routing.default = \"none\" means no executor; allowed: the name"
                                + " of an executor, which starts with a-z and holds only a-z, 0-9, '_' and '-', 40"
                                + " characters at most",
                        "executors.size = 4 (from muster.toml) needs the name of an executor: write it below"
                                + " [executors.NAME]",
                        "executors.io = 5 (from muster.toml) is an executor; write [executors.io] and its settings below it",
                        "[executor] (from muster.toml) is not a section; did you mean [executors]?",
                        "executors = 5 (from muster.toml) is a section; write [executors.NAME] and its settings below it",
                        "MUSTER_EXECUTORS_GPU_SISE (from the environment) is not a setting;"
                                + " did you mean MUSTER_EXECUTORS_GPU_SIZE (executors.gpu.size)?",
                        "MUSTER_EXECUTORS_NONE_SIZE (from the environment) is for the executor 'none', which is refused:"
                                + " no executor can be named none, because routing.default = \"none\" means no executor;"
                                + " allowed: the name of an executor, which starts with a-z and holds only a-z, 0-9, '_'"
                                + " and '-', 40 characters at most",
                        "MUSTER_EXECUTORS_SIZE (from the environment) is not a setting;"
                                + " the nearest known one is MUSTER_EXECUTORS_NAME_SIZE (executors.NAME.size)",
                        "MUSTER_EXECUTORS_gpu_SIZE (from the environment) is not a setting;"
                                + " did you mean MUSTER_EXECUTORS_GPU_SIZE (executors.gpu.size)?",
                        "MUSTER_EXECUTOR_GPU_SIZE (from the environment) is not a setting;"
                                + " did you mean MUSTER_EXECUTORS_GPU_SIZE (executors.gpu.size)?",
                        "MUSTER_ROUTING_RULE (from the environment) is not a setting;"
                                + " did you mean MUSTER_ROUTING_RULES (routing.rules)?",
                        "executor.gpu.size = \"3\" (from builder) is not a setting; did you mean executors.gpu.size?",
                        "executors.9x.size (from builder) is for the executor '9x', which is not the name of an executor;"
                                + " allowed: the name of an executor, which starts with a-z and holds only a-z, 0-9, '_'"
                                + " and '-', 40 characters at most");
    }

    @Test
    void everyRelationIsKept() {
        assertThat(problems(toml(ordered(
                        "routing",
                        ordered(
                                "rules",
                                List.of(
                                        ordered("match", "a", "executor", "gpu"),
                                        ordered("match", "ml::*", "executor", "gppu"),
                                        ordered("match", "b", "executor", "warehouse")),
                                "default",
                                "defalt"),
                        "executors",
                        ordered(
                                "gpu", ordered("memory", "2g", "command", List.of("x"), "jobs", List.of("m")),
                                "py", ordered("kind", "process", "command", "python3 w.py"),
                                "rb", ordered("kind", "process", "jobs", List.of("n", "o")),
                                "sh", ordered("kind", "process", "command", "sh w.sh", "jobs", List.of("o", "p")))))))
                .containsExactly(
                        "routing.rules, rule 2, ml::*=gppu (from muster.toml) names the executor 'gppu', but there is no"
                                + " [executors.gppu]; did you mean 'gpu'?",
                        "routing.rules, rule 3, b=warehouse (from muster.toml) names the executor 'warehouse', but there"
                                + " is no [executors.warehouse]; the nearest known one is 'default'",
                        "routing.default = defalt (from muster.toml) names the executor 'defalt', but there is no"
                                + " [executors.defalt]; did you mean 'default'?",
                        "executors.gpu.command = x (from muster.toml) does not fit executors.gpu.kind = threads (from"
                                + " default): it must be left out, or the kind be process",
                        "executors.gpu.jobs = m (from muster.toml) does not fit executors.gpu.kind = threads (from"
                                + " default): it must be left out, or the kind be process",
                        "executors.gpu.memory = 2g (from muster.toml) does not fit executors.gpu.kind = threads (from"
                                + " default): it must be left out, or the kind be process",
                        "executors.py.command = python3 w.py (from muster.toml) does not fit executors.py.jobs (not"
                                + " given): it must be left out, or both be given",
                        "executors.rb.jobs = n,o (from muster.toml) does not fit executors.rb.command (not given)"
                                + ": it must be left out, or both be given",
                        "executors.sh.jobs = o,p (from muster.toml) lists 'o', which executors.rb.jobs = n,o (from"
                                + " muster.toml) lists too; only one executor can run it");
    }

    @Test
    void aRuleWhoseExecutorHasAnotherProblemIsNotReportedToo() {
        assertThat(problems(
                        toml(ordered("executors", ordered("gpu", ordered("sise", 2), "big", ordered("size", 0)))),
                        ConfigSource.of("builder", Map.of("routing.rules", "ml::*=gpu,heavy_*=big"))))
                .hasSize(2)
                .noneMatch(problem -> problem.startsWith("routing.rules"));
    }

    @Test
    void noneMeansThatUnmatchedJobsAreNotRun() {
        MusterConfig config = MusterConfig.defaults().with("routing.default", "none");

        assertThat(config.routing().defaultExecutor()).isEmpty();
        assertThat(entry(config, "routing.default").value()).isEqualTo("none");
    }

    @Test
    void virtualThreadsNeedJava21() {
        Setting<Kind> kind = ExecutorsConfig.KIND.in("io");
        Values values =
                Values.defaults().withName(ExecutorsConfig.SECTION, "io").with(kind, Kind.VIRTUAL, "muster.toml");

        assertThat(ExecutorChecks.virtualThreads(17).problems(values, setting -> true))
                .containsExactly(new ConfigProblem(
                        Optional.of("executors.io.kind"),
                        "muster.toml",
                        "executors.io.kind = virtual (from muster.toml) needs Java 21 or newer, and this is Java 17"));
        assertThat(ExecutorChecks.virtualThreads(21).problems(values, setting -> true))
                .isEmpty();
        assertThat(ExecutorsConfig.from(values).byName().get("io")).isEqualTo(executor("io", Kind.VIRTUAL, 1000));
    }

    @Test
    void theVersionOfJavaThatRunsDecidesAboutVirtualThreads() {
        ConfigException refused = catchThrowableOfType(
                ConfigException.class, () -> MusterConfig.defaults().with("executors.io.kind", "virtual"));
        int java = Runtime.version().feature();

        assertThat(refused == null).isEqualTo(java >= 21);
        if (refused != null) {
            assertThat(refused).hasMessageEndingWith("needs Java 21 or newer, and this is Java " + java);
        }
    }

    @Test
    void configsAreEqualIfTheirExecutorsAre() {
        MusterConfig one = MusterConfig.defaults().with("executors.gpu.size", "2");

        assertThat(one)
                .isEqualTo(load(environment("MUSTER_EXECUTORS_GPU_SIZE", "2")))
                .hasSameHashCodeAs(load(environment("MUSTER_EXECUTORS_GPU_SIZE", "2")))
                .isNotEqualTo(MusterConfig.defaults())
                .isNotEqualTo(one.with("executors.gpu.size", "3"))
                .hasToString("MusterConfig[executors.gpu.size=2]");
    }

    @Test
    void aPasswordInACommandIsNotShown() {
        MusterConfig config = MusterConfig.defaults()
                .with(Map.of(
                        "executors.py.kind", "process",
                        "executors.py.command", "run --url db?password=hunter2",
                        "executors.py.jobs", "a"));

        assertThat(config.executors().byName().get("py").command()).contains("db?password=hunter2");
        assertThat(entry(config, "executors.py.command").value()).doesNotContain("hunter2");
        assertThat(config.executors().toString()).doesNotContain("hunter2");
    }

    @Test
    void theReferenceListsTheSettingsOfOneExecutor() {
        assertThat(MusterConfig.settings())
                .filteredOn(setting -> setting.section().equals("executors"))
                .extracting(SettingInfo::key, SettingInfo::variable)
                .contains(tuple("executors.NAME.size", "MUSTER_EXECUTORS_NAME_SIZE"))
                .hasSize(6);
        assertThat(MusterConfig.settings())
                .allSatisfy(setting -> assertThat(setting.description()).hasSizeLessThan(110));
        assertThat(MusterConfig.rules()).contains("the executor of each rule in routing.rules must exist");
    }

    private static Rule rule(String match, String executor) {
        return new Rule(NamePattern.of(match), executor);
    }

    private static ExecutorConfig threads(String name, int size) {
        return executor(name, Kind.THREADS, size);
    }

    private static ExecutorConfig executor(String name, Kind kind, int size) {
        return new ExecutorConfig(name, kind, size, Optional.empty(), List.of(), List.of(), OptionalLong.empty());
    }

    private static ExecutorConfig executor(String name, Kind kind, int size, int queue) {
        return new ExecutorConfig(name, kind, size, Optional.of(queue), List.of(), List.of(), OptionalLong.empty());
    }

    private static ConfigSource toml(Map<String, ?> tree) {
        return ConfigSource.of("muster.toml", tree);
    }

    private static ConfigSource environment(String... variables) {
        Map<String, String> environment = new LinkedHashMap<>();
        for (int i = 0; i < variables.length; i += 2) {
            environment.put(variables[i], variables[i + 1]);
        }
        return ConfigSource.environment(environment);
    }

    private static MusterConfig load(ConfigSource... sources) {
        return MusterConfig.load(List.of(sources));
    }

    private static List<String> problems(ConfigSource... sources) {
        return catchThrowableOfType(ConfigException.class, () -> load(sources)).problems().stream()
                .map(ConfigProblem::message)
                .toList();
    }

    private static ConfigEntry entry(MusterConfig config, String key) {
        return config.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> ordered(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }
}
