package dev.muster.internal.workflow;

import dev.muster.config.NodeRole;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.internal.node.HandlerMethod.Call;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.LeaderDeletions;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.JobHandler;
import dev.muster.job.JobOptions;
import dev.muster.job.Placement;
import dev.muster.leader.LeaderRole;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.StepContext;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.Workflows;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Workflows: methods annotated with {@link Workflow}, and their {@link Compensation}s. */
public final class WorkflowSubsystem implements Subsystem {
    private static final HandlerKind<WorkflowHandler> WORKFLOWS =
            new HandlerKind<>(Workflow.class, WorkflowSubsystem::workflow);
    private static final HandlerKind<CompensationHandler> COMPENSATIONS =
            new HandlerKind<>(Compensation.class, WorkflowSubsystem::compensation);

    @Override
    public String name() {
        return "workflows";
    }

    @Override
    public List<HandlerKind<?>> handlerKinds() {
        return List.of(WORKFLOWS, COMPENSATIONS);
    }

    private static WorkflowHandler workflow(HandlerMethod method) {
        Workflow workflow = method.annotation(Workflow.class);
        DriverName.check(workflow.name(), workflow.version());
        if (workflow.maxCrashes() < 1) {
            throw new MusterException(
                    "maxCrashes of a workflow must be at least 1, because every death of a node counts: it is "
                            + workflow.maxCrashes());
        }
        Type[] types = method.parameters();
        if (!method.isInstanceMethod() || types.length == 0 || types.length > 2 || types[0] != WorkflowContext.class) {
            throw new MusterException(
                    "a workflow is an instance method that takes a WorkflowContext, and its input if it has one");
        }
        Type input = types.length == 2 ? types[1] : null;
        JobOptions options = new JobOptions(
                workflow.queue(),
                Placement.canonical(workflow.capability()),
                workflow.priority(),
                null,
                workflow.maxCrashes(),
                null);
        if (workflow.lifecycle() == Workflow.Lifecycle.UNKNOWN) {
            throw new MusterException("workflow '" + workflow.name() + "' " + workflow.version()
                    + ": UNKNOWN is no life cycle to choose; use ACTIVE, DEPRECATED or STAGING");
        }
        Type takes = input == null ? Void.class : input;
        Type returns = method.method().getGenericReturnType();
        List<String> steps = List.of(workflow.steps());
        Signature signature = Signature.of(
                method.method().getDeclaringClass(), workflow.name(), workflow.version(), takes, returns, steps);
        Signature former = Signature.former(workflow.name(), workflow.version(), takes, returns, steps);
        Call call = method.call();
        return new WorkflowHandler(
                definition(workflow, signature, options),
                former.equals(signature) ? null : definition(workflow, former, options),
                input,
                (context, value) -> input == null ? call.invoke(context) : call.invoke(context, value));
    }

    private static Definition definition(Workflow workflow, Signature signature, JobOptions options) {
        return new Definition(
                workflow.name(),
                workflow.version(),
                signature.digest(),
                workflow.lifecycle(),
                List.of(workflow.steps()),
                options);
    }

    private static CompensationHandler compensation(HandlerMethod method) {
        Compensation compensation = method.annotation(Compensation.class);
        Type[] types = method.parameters();
        boolean context = types.length > 0 && types[0] == StepContext.class;
        int next = context ? 1 : 0;
        boolean transactional = types.length > next && types[next] == Connection.class;
        next += transactional ? 1 : 0;
        if (!method.isInstanceMethod() || types.length > next + 1) {
            throw new MusterException(
                    "a compensation is an instance method that takes a StepContext, a Connection and its args,"
                            + " each of which may be left out, in that order");
        }
        Type args = types.length > next ? types[next] : null;
        Call call = method.call();
        return new CompensationHandler(
                Names.require("compensation", compensation.value()),
                args,
                transactional,
                BackoffPolicy.of(compensation.maxAttempts(), -1, compensation.backoff()),
                (step, connection, value) -> {
                    List<@Nullable Object> given = new ArrayList<>();
                    if (context) {
                        given.add(step);
                    }
                    if (transactional) {
                        given.add(connection);
                    }
                    if (args != null) {
                        given.add(value);
                    }
                    call.invoke(given.toArray());
                });
    }

    @Override
    public List<JobHandler> jobHandlers(Handlers handlers, Supplier<NodeContext> node) {
        return handlers.of(WORKFLOWS).stream()
                .flatMap(handler -> handler.definitions()
                        .map(definition -> WorkflowEngine.driver(definition, handler, () -> engine(node.get()))))
                .toList();
    }

    private static WorkflowEngine engine(NodeContext node) {
        return node.shared(
                WorkflowEngine.class,
                () -> new WorkflowEngine(
                        node, definitions(node), node.handlers().of(COMPENSATIONS)));
    }

    /** Newer versions come later. */
    private static List<Definition> definitions(NodeContext node) {
        return node.handlers().of(WORKFLOWS).stream()
                .map(WorkflowHandler::definition)
                .sorted(VersionOrder.OF_DEFINITIONS)
                .toList();
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Workflows workflows = new DatabaseWorkflows(node, node.handlers().of(WORKFLOWS));
        return List.of(new Api<>(Workflows.class, workflows));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<NodePart> parts = new ArrayList<>();
        WorkflowStore store = node.port(WorkflowStore.class);
        if (node.config().node().has(NodeRole.SCHEDULER) && !node.observes()) {
            parts.add(new RunKeeper(
                    store, membership.leadership(LeaderRole.SCHEDULER), node.coordinator(), node.clock()));
            Duration retain = node.config().history().retain();
            parts.add(new LeaderDeletions(
                    "workflow-retention",
                    membership.leadership(LeaderRole.LOG_COMPACTOR),
                    List.of(tx -> store.forgetRuns(tx, retain), tx -> store.dropStepsDay(tx, retain))));
        }
        if (node.config().node().has(NodeRole.WORKER)) {
            List<Definition> definitions = definitions(node);
            parts.add(new StrandedRunsReadiness(
                    store,
                    node.handlers().of(WORKFLOWS).stream()
                            .flatMap(WorkflowHandler::definitions)
                            .map(Definition::driver)
                            .filter(node::runsJobs)
                            .toList(),
                    definitions.stream().map(Definition::name).collect(Collectors.toSet()),
                    node.clock()));
            if (!definitions.isEmpty()) {
                parts.add(new DefinitionPublisher(store, definitions, engine(node)));
            }
        }
        return parts;
    }
}
