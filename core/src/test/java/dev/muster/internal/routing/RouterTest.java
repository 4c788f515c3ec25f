package dev.muster.internal.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.ExecutorConfig;
import dev.muster.config.MusterConfig;
import dev.muster.config.RoutingConfig.Rule;
import dev.muster.internal.routing.Route.ListedJob;
import dev.muster.internal.routing.Route.MatchedRule;
import dev.muster.internal.routing.Route.NoRuleMatched;
import dev.muster.internal.routing.Router.Partition;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.NamePattern;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouterTest {
    private static final MusterConfig EXECUTORS = MusterConfig.defaults()
            .with("executors.gpu.size", "2")
            .with("executors.k8s.size", "3")
            .with("executors.high_memory.size", "1");

    @Test
    void theFirstRuleThatMatchesDecides() {
        Router router = router(Map.of("routing.rules", "ml::*=gpu,**::batch::*=k8s,heavy_*=high_memory"));

        assertThat(executor(router, "ml::train")).isEqualTo("gpu");
        assertThat(executor(router, "etl::batch::load")).isEqualTo("k8s");
        assertThat(executor(router, "heavy_compute")).isEqualTo("high_memory");
        assertThat(executor(router, "mail")).isEqualTo("default");
        assertThat(router.route("heavy_compute").reason())
                .isEqualTo(new MatchedRule(3, new Rule(NamePattern.of("heavy_*"), "high_memory")));
        assertThat(router.route("heavy_compute").reason().words()).isEqualTo("rule 3, heavy_*");
        assertThat(router.route("mail").reason()).isEqualTo(new NoRuleMatched());
        assertThat(router.route("mail").executor())
                .contains(EXECUTORS.executors().byName().get("default"));
    }

    @Test
    void theOrderOfTheRulesCountsAndNotHowExactTheyAre() {
        assertThat(executor(router(Map.of("routing.rules", "ml::*=gpu,ml::train=k8s")), "ml::train"))
                .isEqualTo("gpu");
        assertThat(executor(router(Map.of("routing.rules", "ml::train=k8s,ml::*=gpu")), "ml::train"))
                .isEqualTo("k8s");
        assertThat(executor(router(Map.of("routing.rules", "**=gpu,ml::*=k8s")), "ml::train"))
                .isEqualTo("gpu");
        assertThat(executor(router(Map.of("routing.rules", "a=gpu,a=k8s")), "a"))
                .isEqualTo("gpu");
    }

    @Test
    void theDefaultMayBeAnotherExecutorOrNone() {
        assertThat(executor(router(Map.of("routing.default", "gpu")), "mail")).isEqualTo("gpu");

        Router none = router(Map.of("routing.default", "none", "routing.rules", "ml::*=gpu"));
        assertThat(none.route("mail").executor()).isEmpty();
        assertThat(none.route("mail").reason().words()).isEqualTo("routing.default, because no rule matches");
        assertThat(executor(none, "ml::train")).isEqualTo("gpu");
    }

    @Test
    void aJobThatACommandListsComesBeforeAllRules() {
        Router router = withCommand(Map.of("routing.rules", "ml::resize=gpu,**=k8s"));

        assertThat(executor(router, "ml::resize")).isEqualTo("py");
        assertThat(router.route("ml::resize").reason()).isEqualTo(new ListedJob("py"));
        assertThat(router.route("ml::resize").missesCommand()).isFalse();
        assertThat(executor(router, "ml::train")).isEqualTo("k8s");
    }

    @Test
    void theNamesOfANodeAreDividedAmongItsExecutors() {
        List<String> names = List.of("ml::train", "mail", "ml::resize", "ml::predict", "invoice", "mail");

        assertThat(withCommand(Map.of("routing.rules", "ml::*=gpu")).partition(names))
                .isEqualTo(new Partition(
                        Map.of(
                                "default", List.of("invoice", "mail"),
                                "gpu", List.of("ml::predict", "ml::train"),
                                "py", List.of("ml::resize")),
                        List.of()));
        Partition none = withCommand(Map.of("routing.rules", "ml::*=gpu", "routing.default", "none"))
                .partition(names);
        assertThat(none.unrouted()).containsExactly("invoice", "mail");
        assertThat(none.byExecutor().keySet()).containsExactly("gpu", "py");
    }

    @Test
    void aHandlerThatACommandWouldHaveToRunIsRefused() {
        Router router = withCommand(Map.of("routing.rules", "ml::*=py", "routing.default", "py"));

        assertThat(router.route("ml::train").missesCommand()).isTrue();
        assertThatThrownBy(() -> router.partition(List.of("ml::train", "ml::resize", "mail")))
                .isInstanceOf(MusterException.class)
                .hasMessage(
                        "the handler 'mail' is routed to the executor 'py' by routing.default, because no rule matches,"
                                + " but that executor runs only the jobs that executors.py.jobs lists; add a rule before it that"
                                + " sends the handler to another executor\n"
                                + "the handler 'ml::train' is routed to the executor 'py' by rule 1, ml::*, but that executor runs"
                                + " only the jobs that executors.py.jobs lists; add a rule before it that sends the handler to"
                                + " another executor");
        assertThat(router.partition(List.of("ml::resize")).byExecutor())
                .containsExactly(Map.entry("py", List.of("ml::resize")));
    }

    private static Router withCommand(Map<String, String> changes) {
        MusterConfig config = EXECUTORS
                .with(Map.of(
                        "executors.py.kind", "process",
                        "executors.py.command", "python3 worker.py",
                        "executors.py.jobs", "ml::resize"))
                .with(changes);
        return new Router(config.routing(), config.executors());
    }

    private static Router router(Map<String, String> changes) {
        MusterConfig config = EXECUTORS.with(changes);
        return new Router(config.routing(), config.executors());
    }

    private static String executor(Router router, String name) {
        return router.route(name).executor().map(ExecutorConfig::name).orElseThrow();
    }
}
