package dev.muster.cli.internal.config;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.config.ExecutorConfig;
import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.MusterConfig;
import dev.muster.config.RoutingConfig.Rule;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.routing.Route;
import dev.muster.internal.routing.Route.ListedJob;
import dev.muster.internal.routing.Route.MatchedRule;
import dev.muster.internal.routing.Router;
import dev.muster.internal.runtime.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows which executor runs the jobs of a name, and which rule decides. */
@Command(
        name = "route",
        description = "Show which executor would run jobs of this name, and which rule decides; needs no database.")
final class ConfigRouteCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The name of a job, such as ml::train.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /** How a rule fared. */
    private enum Result {
        MATCHES,
        DOES_NOT_MATCH,
        NOT_REACHED;

        /** Rules after the one that decides are not reached; if an executor lists the job, none is. */
        static Result of(int rule, Route route) {
            if (route.reason() instanceof ListedJob) {
                return NOT_REACHED;
            }
            if (route.reason() instanceof MatchedRule matched && rule >= matched.number()) {
                return rule == matched.number() ? MATCHES : NOT_REACHED;
            }
            return DOES_NOT_MATCH;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        String words() {
            return word().replace('_', ' ');
        }
    }

    @Override
    public Integer call() {
        Names.require("job name", name);
        MusterConfig config = settings.load();
        Route route = new Router(config.routing(), config.executors()).route(name);
        List<Rule> rules = config.routing().rules();
        output.print(() -> document(route, rules), () -> text(route, rules));
        if (route.missesCommand()) {
            String executor = route.executor().orElseThrow().name();
            output.say("the executor '" + executor + "' runs only the jobs that executors." + executor
                    + ".jobs lists; a node with a handler of this name does not start");
        }
        return ExitCode.DONE;
    }

    private static Map<String, @Nullable Object> document(Route route, List<Rule> rules) {
        List<@Nullable Object> list = new ArrayList<>();
        for (Rule rule : rules) {
            int number = list.size() + 1;
            list.add(new JsonObjectWriter()
                    .put("number", number)
                    .put("match", rule.match().toString())
                    .put("executor", rule.executor())
                    .put("result", Result.of(number, route).word())
                    .done());
        }
        return new JsonObjectWriter()
                .put("name", route.name())
                .put("executor", route.executor().map(ExecutorConfig::name))
                .put("kind", route.executor().map(ConfigRouteCommand::kind))
                .put("size", route.executor().map(ExecutorConfig::size))
                .put("decided_by", decidedBy(route))
                .put("rule", route.reason() instanceof MatchedRule matched ? (Integer) matched.number() : null)
                .put("rules", list)
                .done();
    }

    private static String decidedBy(Route route) {
        if (route.reason() instanceof ListedJob) {
            return "jobs";
        }
        return route.reason() instanceof MatchedRule ? "rule" : "default";
    }

    private static String size(ExecutorConfig executor) {
        return executor.kind() == Kind.CUSTOM
                ? "size at most " + executor.size() + " and its capacity"
                : "size " + executor.size();
    }

    private static String text(Route route, List<Rule> rules) {
        String decision = route.executor()
                .map(executor -> route.name() + " runs on executor " + executor.name() + " (" + kind(executor) + ", "
                        + size(executor) + ")")
                .orElse(route.name() + " runs on no executor of this node");
        String head = decision + ", decided by " + route.reason().words() + "\n";
        if (rules.isEmpty()) {
            return head;
        }
        Table table = new Table("RULE", "MATCH", "EXECUTOR", "RESULT");
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            table.row(
                    i + 1,
                    rule.match(),
                    rule.executor(),
                    Result.of(i + 1, route).words());
        }
        return head + "\n" + table;
    }

    private static String kind(ExecutorConfig executor) {
        return executor.kind().name().toLowerCase(Locale.ROOT);
    }
}
