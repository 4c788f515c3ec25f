package dev.muster.internal.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Admin;
import dev.muster.ClusterApi;
import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.access.Caller;
import dev.muster.batch.Batches;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.lock.Locks;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.runtime.Writes;
import dev.muster.schedule.Crons;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReadOnlyApiTest {

    /** The methods that change nothing. All others of these interfaces have to say what they write. */
    private static final Map<Class<?>, Set<String>> READS = Map.ofEntries(
            Map.entry(
                    Jobs.class,
                    Set.of("find", "await", "result", "list", "search", "counts", "retryable", "logs", "attempts")),
            Map.entry(Queues.class, Set.of("list")),
            Map.entry(Crons.class, Set.of("list", "find", "spec", "next", "history")),
            Map.entry(Daemons.class, Set.of("list")),
            Map.entry(
                    Workflows.class,
                    Set.of("find", "steps", "step", "countLive", "list", "await", "result", "definitions")),
            Map.entry(Graphs.class, Set.of("find", "tree", "task", "list", "await", "result")),
            Map.entry(Batches.class, Set.of("find", "list", "await")),
            // Whether a call writes depends on the function: ServedFunctions refuses mutations on an observer.
            Map.entry(Functions.class, Set.of("list", "call")),
            Map.entry(Locks.class, Set.of("list")),
            Map.entry(ApiKeys.class, Set.of("list", "find", "as")),
            Map.entry(Audit.class, Set.of("list")),
            Map.entry(
                    Admin.class,
                    Set.of(
                            "handlers",
                            "knownNames",
                            "metrics",
                            "minutes",
                            "concurrencyGroups",
                            "rateLimits",
                            "replicaLag",
                            "migrations",
                            "grants",
                            "encryptionKeyUses")));

    private final List<String> called = new ArrayList<>();

    /** Those of the cluster and, as {@code Muster} alone has them, the rate limits. */
    static Stream<Class<?>> apis() {
        return Stream.concat(
                Arrays.stream(ClusterApi.class.getMethods())
                        .<Class<?>>map(Method::getReturnType)
                        .filter(ReadOnlyApiTest::isApi),
                Stream.of(RateLimits.class));
    }

    @ParameterizedTest
    @MethodSource("apis")
    void aMethodReadsOrSaysWhatItWrites(Class<?> api) {
        Set<String> reads = READS.getOrDefault(api, Set.of());
        Set<String> without = Arrays.stream(api.getMethods())
                .filter(method -> !method.isAnnotationPresent(Writes.class))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> with = Arrays.stream(api.getMethods())
                .filter(method -> method.isAnnotationPresent(Writes.class))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(without)
                .as("methods of %s without @Writes: a reading one belongs into READS", api.getSimpleName())
                .containsExactlyInAnyOrderElementsOf(reads);
        assertThat(with.stream().filter(reads::contains)).isEmpty();
    }

    @Test
    void theMethodsOfTheClusterReadOrSayWhatTheyWrite() {
        assertThat(Arrays.stream(ClusterApi.class.getMethods())
                        .filter(method -> !isApi(method.getReturnType()))
                        .filter(method -> !method.isAnnotationPresent(Writes.class))
                        .map(Method::getName))
                .containsExactlyInAnyOrder("nodes", "leaders", "overview");
    }

    /** What {@code in(connection)} returns, for example: it writes and nothing else. */
    @ParameterizedTest
    @MethodSource("apis")
    void anApiThatAMethodReturnsSaysWhatItWritesToo(Class<?> api) {
        Arrays.stream(api.getMethods())
                .map(Method::getReturnType)
                .filter(type -> isApi(type) && !READS.containsKey(type))
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .forEach(method -> assertThat(method.isAnnotationPresent(Writes.class))
                        .as("%s has @Writes", method)
                        .isTrue());
    }

    @ParameterizedTest
    @MethodSource("apis")
    void readingReachesTheApiAndWritingIsRefused(Class<?> api) throws Exception {
        Object observer = readOnly(api);
        for (Method method : api.getMethods()) {
            called.clear();
            Object[] args = Arrays.stream(method.getParameterTypes())
                    .map(ReadOnlyApiTest::nothing)
                    .toArray();
            Writes writes = method.getAnnotation(Writes.class);
            if (writes == null) {
                method.invoke(observer, args);
                assertThat(called).containsExactly(method.getName());
            } else {
                assertThatThrownBy(() -> method.invoke(observer, args))
                        .as(method.getName())
                        .isInstanceOf(InvocationTargetException.class)
                        .cause()
                        .isInstanceOf(ObserverRefusal.class)
                        .hasMessage("this node is an observer (node.mode = observer) and writes nothing: it does not "
                                + writes.value());
                assertThat(called).isEmpty();
            }
        }
    }

    @Test
    void theShortWaysToStartARunAreRefusedToo() {
        Workflows observer = readOnly(Workflows.class);
        assertThatThrownBy(() -> observer.start("checkout", null))
                .isInstanceOf(ObserverRefusal.class)
                .hasMessageEndingWith("it does not start workflows");
        assertThatThrownBy(() -> observer.start(WorkflowType.of("checkout", String.class), "x"))
                .isInstanceOf(ObserverRefusal.class);
    }

    @Test
    void noCallerMakesAnObserverWrite() {
        ApiKeys observer = readOnly(ApiKeys.class);
        Caller admin = Caller.program("admin");
        assertThatThrownBy(() -> observer.as(admin).revoke("x")).isInstanceOf(ObserverRefusal.class);
        assertThatThrownBy(() -> observer.as(admin, "request").rotate("x", Duration.ZERO))
                .isInstanceOf(ObserverRefusal.class);
    }

    @Test
    void whatReadingThrowsArrivesAsItIs() {
        IllegalStateException thrown = new IllegalStateException("no database");
        Queues failing = ApiProxy.of(Queues.class, "failing", (method, args) -> {
            throw thrown;
        });
        assertThatThrownBy(() -> ReadOnlyApi.of(Queues.class, failing).list()).isSameAs(thrown);
    }

    @Test
    void anApiThatOnlyReadsIsLeftAlone() {
        Audit audit = query -> List.of();
        assertThat(ReadOnlyApi.of(Audit.class, audit)).isSameAs(audit);
    }

    private <T> T readOnly(Class<T> api) {
        return ReadOnlyApi.of(api, counting(api));
    }

    private <T> T counting(Class<T> api) {
        return ApiProxy.of(api, "counting", (method, args) -> {
            called.add(method.getName());
            Class<?> type = method.getReturnType();
            return isApi(type) ? counting(type) : nothing(type);
        });
    }

    private static boolean isApi(Class<?> type) {
        return type.isInterface() && type.getName().startsWith("dev.muster.");
    }

    private static @Nullable Object nothing(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        if (type == long.class) {
            return 0L;
        }
        return type == int.class ? 0 : null;
    }
}
