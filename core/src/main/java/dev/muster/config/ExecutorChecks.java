package dev.muster.config;

import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.RoutingConfig.Rule;
import dev.muster.internal.config.Nearest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The rules between the settings of routing and executors. */
final class ExecutorChecks {
    private static final int JAVA_OF_VIRTUAL_THREADS = 21;

    static final List<SettingCheck> ALL = List.of(
            check("the executor of each rule in routing.rules must exist", ExecutorChecks::rulesWithoutExecutor),
            check("routing.default must be none or an executor that exists", ExecutorChecks::defaultWithoutExecutor),
            virtualThreads(Runtime.version().feature()),
            onlyOfProcess(ExecutorsConfig.COMMAND, List.of()),
            onlyOfProcess(ExecutorsConfig.JOBS, List.of()),
            onlyOfProcess(ExecutorsConfig.MEMORY, Optional.empty()),
            notWithout(ExecutorsConfig.COMMAND, ExecutorsConfig.JOBS),
            notWithout(ExecutorsConfig.JOBS, ExecutorsConfig.COMMAND),
            check("executors.NAME.jobs must list no job that another executor lists", ExecutorChecks::jobsListedTwice),
            check(
                    "names of executors must differ in more than '-' and '_', which are the same in variables",
                    ExecutorChecks::namesTooSimilar));

    private ExecutorChecks() {}

    private interface Search {
        List<ConfigProblem> problems(Values values, Predicate<Setting<?>> readable);
    }

    private static SettingCheck check(String sentence, Search search) {
        return new SettingCheck() {
            @Override
            public List<ConfigProblem> problems(Values values, Predicate<Setting<?>> readable) {
                return search.problems(values, readable);
            }

            @Override
            public String sentence() {
                return sentence;
            }
        };
    }

    /** Checks the relation for each executor. */
    private static SettingCheck forEach(Relation<?, ?> relation) {
        return check(
                relation.sentence(),
                (values, readable) -> values.names(ExecutorsConfig.SECTION).stream()
                        .flatMap(name -> relation.in(name).problems(values, readable).stream())
                        .toList());
    }

    private static <T> SettingCheck onlyOfProcess(Setting<T> setting, T leftOut) {
        return forEach(new Relation<>(
                setting,
                ExecutorsConfig.KIND,
                (value, kind) -> kind == Kind.PROCESS || value.equals(leftOut),
                kind -> "left out, or the kind be process",
                "left out, unless " + ExecutorsConfig.KIND.key() + " is process"));
    }

    private static SettingCheck notWithout(Setting<List<String>> left, Setting<List<String>> right) {
        return forEach(new Relation<>(
                left,
                right,
                (value, other) -> value.isEmpty() || !other.isEmpty(),
                other -> "left out, or both be given",
                "left out, unless " + right.key() + " is given"));
    }

    /** @param java the version of Java that runs */
    static SettingCheck virtualThreads(int java) {
        return check(
                "executors.NAME.kind must not be virtual before Java " + JAVA_OF_VIRTUAL_THREADS,
                (values, readable) -> {
                    List<ConfigProblem> problems = new ArrayList<>();
                    for (String name : values.names(ExecutorsConfig.SECTION)) {
                        Setting<Kind> kind = ExecutorsConfig.KIND.in(name);
                        if (values.get(kind) == Kind.VIRTUAL && java < JAVA_OF_VIRTUAL_THREADS) {
                            problems.add(problem(
                                    kind,
                                    values,
                                    Relation.describe(kind, values) + " needs Java " + JAVA_OF_VIRTUAL_THREADS
                                            + " or newer, and this is Java " + java));
                        }
                    }
                    return problems;
                });
    }

    private static List<ConfigProblem> rulesWithoutExecutor(Values values, Predicate<Setting<?>> readable) {
        List<ConfigProblem> problems = new ArrayList<>();
        List<Rule> rules = values.get(RoutingConfig.RULES);
        for (int i = 0; readable.test(RoutingConfig.RULES) && i < rules.size(); i++) {
            if (!values.names(ExecutorsConfig.SECTION).contains(rules.get(i).executor())) {
                String rule = RoutingConfig.RULES.key() + ", rule " + (i + 1) + ", " + rules.get(i) + " (from "
                        + values.source(RoutingConfig.RULES) + ")";
                problems.add(problem(
                        RoutingConfig.RULES,
                        values,
                        rule + noExecutor(rules.get(i).executor(), values)));
            }
        }
        return problems;
    }

    private static List<ConfigProblem> defaultWithoutExecutor(Values values, Predicate<Setting<?>> readable) {
        return values
                .get(RoutingConfig.DEFAULT)
                .filter(name -> readable.test(RoutingConfig.DEFAULT)
                        && !values.names(ExecutorsConfig.SECTION).contains(name))
                .map(name -> problem(
                        RoutingConfig.DEFAULT,
                        values,
                        Relation.describe(RoutingConfig.DEFAULT, values) + noExecutor(name, values)))
                .stream()
                .toList();
    }

    private static String noExecutor(String name, Values values) {
        return " names the executor '" + name + "', but there is no [executors." + name + "]; "
                + Nearest.to(name, values.names(ExecutorsConfig.SECTION)).hint(found -> "'" + found + "'");
    }

    private static List<ConfigProblem> jobsListedTwice(Values values, Predicate<Setting<?>> readable) {
        List<ConfigProblem> problems = new ArrayList<>();
        Map<String, Setting<?>> listed = new LinkedHashMap<>();
        for (String name : values.names(ExecutorsConfig.SECTION)) {
            Setting<List<String>> jobs = ExecutorsConfig.JOBS.in(name);
            for (String job : readable.test(jobs) ? values.get(jobs) : List.<String>of()) {
                Setting<?> first = listed.putIfAbsent(job, jobs);
                if (first != null) {
                    problems.add(problem(
                            jobs,
                            values,
                            Relation.describe(jobs, values) + " lists '" + job + "', which "
                                    + Relation.describe(first, values) + " lists too; only one executor can run it"));
                }
            }
        }
        return problems;
    }

    private static List<ConfigProblem> namesTooSimilar(Values values, Predicate<Setting<?>> readable) {
        List<ConfigProblem> problems = new ArrayList<>();
        Map<String, String> seen = new LinkedHashMap<>();
        for (String name : values.names(ExecutorsConfig.SECTION)) {
            String first = seen.putIfAbsent(name.replace('-', '_'), name);
            if (first != null) {
                String key = ExecutorsConfig.SECTION.name() + "." + name;
                String source = source(name, values);
                problems.add(new ConfigProblem(
                        Optional.of(key),
                        source,
                        key + " (from " + source + ") and executors." + first + " (from " + source(first, values)
                                + ") differ only in '-' and '_', which are the same in variables; give one of them another"
                                + " name"));
            }
        }
        return problems;
    }

    /** The source of the first setting of the executor that is not at its default. */
    private static String source(String name, Values values) {
        return ExecutorsConfig.SECTION.settings(name).stream()
                .<String>map(values::source)
                .filter(source -> !source.equals(Values.DEFAULT))
                .findFirst()
                .orElse(Values.DEFAULT);
    }

    private static ConfigProblem problem(Setting<?> setting, Values values, String message) {
        return new ConfigProblem(Optional.of(setting.key()), values.source(setting), message);
    }
}
