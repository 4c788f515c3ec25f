package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;

/** What a node asks of the database while there is nothing to do. */
final class IdleScenario implements SelfPacedScenario {
    static final Metric STATEMENTS = Metric.of("idle_statements", Metric.Unit.STATEMENTS_PER_SECOND);
    private static final Metric TRANSACTIONS = Metric.of("idle_transactions", Metric.Unit.STATEMENTS_PER_SECOND);

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        IdleNode idle = IdleNode.watch(stage, node -> node.register(new Confirmations(Handled.endless())));
        return new Figures().add(STATEMENTS, idle.statements()).add(TRANSACTIONS, idle.transactions());
    }
}
