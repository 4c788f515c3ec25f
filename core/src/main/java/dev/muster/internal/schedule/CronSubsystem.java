package dev.muster.internal.schedule;

import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.config.NodeRole;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.internal.node.HandlerMethod.Call;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.JobHandler;
import dev.muster.job.JobOptions;
import dev.muster.job.RetryPolicy;
import dev.muster.leader.LeaderRole;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.Crons;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Crons: methods annotated with {@link Cron}, and crons that were created at run time. */
public final class CronSubsystem implements Subsystem {
    private static final HandlerKind<CronHandler> CRONS = new HandlerKind<>(Cron.class, CronSubsystem::read);
    private static final Topic CHANGED = Topic.CRONS;

    @Override
    public String name() {
        return "crons";
    }

    @Override
    public List<HandlerKind<?>> handlerKinds() {
        return List.of(CRONS);
    }

    private static CronHandler read(HandlerMethod method) {
        Cron cron = method.annotation(Cron.class);
        if (!method.takesAtMost(CronContext.class)) {
            throw new MusterException("a cron is an instance method that takes a CronContext, or nothing");
        }
        if (cron.misfire() == Misfire.UNKNOWN || cron.overlap() == Overlap.UNKNOWN) {
            throw new MusterException("UNKNOWN is no policy to choose for a cron's misfires or overlaps");
        }
        Call call = method.call();
        boolean context = method.parameters().length == 1;
        RetryPolicy retry = BackoffPolicy.of(cron.maxAttempts(), cron.maxCrashes(), cron.backoff())
                .withRetryOn(cron.retryOn())
                .withNoRetryOn(cron.noRetryOn());
        String name = method.name(cron.name());
        CronDefinition definition = new CronDefinition(
                name,
                cron.value().strip(),
                cron.zone(),
                cron.misfire(),
                cron.catchUpLimit(),
                cron.overlap(),
                HandlerMethod.duration(cron.jitter()),
                name,
                "null",
                new JobOptions(
                        cron.queue(),
                        cron.capability().isEmpty() ? null : cron.capability(),
                        cron.priority(),
                        retry.maxAttempts(),
                        retry.maxCrashes(),
                        HandlerMethod.optionalDuration(cron.timeout())));
        return new CronHandler(definition, retry, ctx -> {
            if (context) {
                call.invoke(ctx);
            } else {
                call.invoke();
            }
        });
    }

    @Override
    public List<JobHandler> jobHandlers(Handlers handlers, Supplier<NodeContext> node) {
        return handlers.of(CRONS).stream()
                .map(cron -> cron.job(() -> node.get().connection()))
                .toList();
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        Crons crons = new DatabaseCrons(store(node), cronJobs(node), node.jobs(), changed(node));
        return List.of(new Api<>(Crons.class, crons));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        List<NodePart> parts = new ArrayList<>();
        if (!node.observes()) {
            if (node.config().node().has(NodeRole.SCHEDULER)) {
                parts.add(scheduler(node, membership));
            }
            parts.add(publisher(node));
        }
        return parts;
    }

    private static Scheduler scheduler(NodeContext node, Membership membership) {
        Scheduler scheduler = new Scheduler(
                store(node),
                cronJobs(node),
                node.jobs(),
                membership.leadership(LeaderRole.SCHEDULER),
                node.config().scheduler().tick(),
                node.config().history().retain(),
                node.telemetry(),
                node.clock());
        node.coordinator().registerChangeListener(CHANGED, scheduler::wake);
        return scheduler;
    }

    private static CronPublisher publisher(NodeContext node) {
        return new CronPublisher(
                store(node),
                node.handlers().of(CRONS).stream().map(CronHandler::definition).toList(),
                node.startupCoordinator(),
                changed(node),
                CronPublisher.Timing.DEFAULT);
    }

    private static CronStore store(NodeContext node) {
        return node.port(CronStore.class);
    }

    private static CronJobs cronJobs(NodeContext node) {
        return new CronJobs(node.json(), node.payloads());
    }

    /** Tells all nodes that crons have changed. */
    private static Runnable changed(NodeContext node) {
        return () -> node.coordinator().notifyChange(CHANGED);
    }
}
