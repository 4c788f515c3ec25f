package dev.muster.internal.workflow;

import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.LoopService;
import dev.muster.internal.workflow.WorkflowStore.Definition;
import dev.muster.job.JobId;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Publishes which versions of workflows this node's code has, so that other processes can start them. */
final class DefinitionPublisher extends LoopService implements NodePart {
    private static final Duration EVERY = Duration.ofMinutes(10);
    private static final Duration BETWEEN_WINDOWS = Duration.ofMillis(20);

    private final WorkflowStore store;
    private final List<Definition> definitions;
    private final WorkflowEngine engine;
    private boolean woken;
    private @Nullable JobId walked;

    DefinitionPublisher(WorkflowStore store, List<Definition> definitions, WorkflowEngine engine) {
        super("workflows");
        this.store = store;
        this.definitions = definitions;
        this.engine = engine;
    }

    @Override
    public Phase phase() {
        return Phase.PREPARATION;
    }

    /** Publishes once before it returns, so that the workflows of a started node can be started. */
    @Override
    public void start() {
        store.publish(definitions);
        super.start();
    }

    /** After the start, blocked runs are woken first, a window after the other: there may be very many. */
    @Override
    protected Duration step() {
        if (!woken) {
            walked = store.wakeBlocked(definitions, walked).next();
            woken = walked == null;
            return woken ? EVERY : BETWEEN_WINDOWS;
        }
        store.publish(definitions);
        return EVERY;
    }

    @Override
    public void stop() {
        super.stop();
        engine.stop();
    }
}
