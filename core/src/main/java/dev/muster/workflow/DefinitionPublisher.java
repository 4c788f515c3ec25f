package dev.muster.workflow;

import dev.muster.node.NodePart;
import dev.muster.runtime.LoopService;
import dev.muster.workflow.WorkflowStore.Definition;
import java.time.Duration;
import java.util.List;

/** Publishes which versions of workflows this node's code has, so that other processes can start them. */
final class DefinitionPublisher extends LoopService implements NodePart {
    private static final Duration EVERY = Duration.ofMinutes(10);

    private final WorkflowStore store;
    private final List<Definition> definitions;
    private final WorkflowEngine engine;

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

    @Override
    protected Duration step() {
        store.publish(definitions);
        return EVERY;
    }

    @Override
    public void stop() {
        super.stop();
        engine.stop();
    }
}
