package dev.muster.internal.assembly;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.config.ExecutorConfig;
import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.ExecutorsConfig;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.config.TenantsConfig;
import dev.muster.internal.cluster.NodeStore.Routes;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.process.ChildProcesses;
import dev.muster.internal.routing.Route;
import dev.muster.internal.routing.Router;
import dev.muster.internal.routing.Router.Partition;
import dev.muster.internal.worker.ExecutorPlan;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobHandler;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The handlers of a node, divided among its executors as the settings say. */
final class RoutedHandlers implements AutoCloseable {
    private final ChildProcesses children;
    private final JobRegistry registry;
    private final Partition partition;
    private final List<ExecutorPlan> plans;
    private final Map<String, JobExecutor> unused;

    /**
     * @param custom the executors of kind custom, by name
     * @throws MusterException if a handler cannot run on the executor that it is routed to
     */
    RoutedHandlers(List<JobHandler> handlers, MusterConfig config, Map<String, JobExecutor> custom, JsonCodec json) {
        this.children = new ChildProcesses(json);
        try {
            List<JobHandler> all = opened(withCommands(handlers, config.executors()), config.tenants());
            Router router = new Router(config.routing(), config.executors());
            this.partition = router.partition(all.stream().map(JobHandler::name).toList());
            boolean works = config.node().has(NodeRole.WORKER);
            this.registry = new JobRegistry(works ? inChildren(all, router) : all);
            this.plans = works ? plans(config.executors(), custom) : List.of();
            this.unused = new HashMap<>(custom);
            plans.forEach(plan -> unused.remove(plan.name()));
        } catch (RuntimeException | Error e) {
            children.close();
            throw e;
        }
    }

    /** The same handlers; those that the settings name are open to tenants. */
    private static List<JobHandler> opened(List<JobHandler> handlers, TenantsConfig settings) {
        return handlers.stream()
                .map(handler -> settings.jobs().allows(handler.name()) ? handler.tenants(true) : handler)
                .toList();
    }

    private List<JobHandler> withCommands(List<JobHandler> handlers, ExecutorsConfig executors) {
        List<JobHandler> all = new ArrayList<>(handlers);
        for (ExecutorConfig executor : executors.byName().values()) {
            if (!executor.command().isEmpty()) {
                all.addAll(children.commandHandlers(executor.command(), executor.jobs(), executor.memoryBytes()));
            }
        }
        return all;
    }

    private List<ExecutorPlan> plans(ExecutorsConfig executors, Map<String, JobExecutor> custom) {
        return partition.byExecutor().entrySet().stream()
                .map(own -> plan(executors.byName().get(own.getKey()), own.getValue(), custom))
                .toList();
    }

    /** The same handlers; those of executors of kind process without a command run in a JVM of their own. */
    private List<JobHandler> inChildren(List<JobHandler> handlers, Router router) {
        List<JobHandler> all = new ArrayList<>(handlers);
        Map<ExecutorConfig, List<JobHandler>> own = handlers.stream()
                .filter(handler -> runsInOwnJvm(router.route(handler.name())))
                .collect(Collectors.groupingBy(
                        handler -> router.route(handler.name()).executor().orElseThrow()));
        own.forEach((executor, inJvm) -> {
            all.removeAll(inJvm);
            all.addAll(children.ownJvmHandlers(inJvm, executor.memoryBytes()));
        });
        return all;
    }

    private static boolean runsInOwnJvm(Route route) {
        return route.executor()
                .filter(executor ->
                        executor.kind() == Kind.PROCESS && executor.command().isEmpty())
                .isPresent();
    }

    private static ExecutorPlan plan(ExecutorConfig executor, List<String> names, Map<String, JobExecutor> custom) {
        Optional<JobExecutor> own =
                executor.kind() == Kind.CUSTOM ? Optional.of(custom(executor.name(), custom)) : Optional.empty();
        int size = own.map(runner -> Math.min(executor.size(), capacity(executor.name(), runner)))
                .orElse(executor.size());
        return new ExecutorPlan(executor.name(), executor.kind(), size, executor.queue(), Set.copyOf(names), own);
    }

    private static JobExecutor custom(String name, Map<String, JobExecutor> custom) {
        JobExecutor found = custom.get(name);
        if (found == null) {
            throw new MusterException("the executor '" + name
                    + "' is of kind custom, but this program brings none of that name; give it to the builder with executor(\""
                    + name + "\", …)");
        }
        return found;
    }

    private static int capacity(String name, JobExecutor executor) {
        int capacity = executor.capacity();
        if (capacity < 1) {
            throw new MusterException("the executor '" + name + "' has a capacity of " + capacity
                    + "; it must be able to run at least one job");
        }
        return capacity;
    }

    JobRegistry registry() {
        return registry;
    }

    /** The executors that have names to run; none if this node runs no jobs. */
    List<ExecutorPlan> plans() {
        return plans;
    }

    boolean runs(String name) {
        return plans.stream().anyMatch(plan -> plan.names().contains(name));
    }

    /** The names of the handlers that an executor runs. */
    Set<String> names() {
        Set<String> names = new HashSet<>(registry.names());
        partition.unrouted().forEach(names::remove);
        return names;
    }

    /** What this node publishes about its executors. */
    Routes routes() {
        Map<String, String> executorOf = new HashMap<>();
        partition.byExecutor().forEach((executor, names) -> names.forEach(name -> executorOf.put(name, executor)));
        List<ExecutorInfo> executors = plans.stream()
                .map(plan ->
                        new ExecutorInfo(plan.name(), plan.kind().name().toLowerCase(Locale.ROOT), plan.size(), 0, 0))
                .toList();
        return new Routes(executors, executorOf, partition.unrouted());
    }

    /** Kills child processes that are left, and closes executors that no worker has used. */
    @Override
    public void close() {
        children.close();
        unused.values().forEach(executor -> executor.close(Duration.ZERO));
    }
}
