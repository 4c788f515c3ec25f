package dev.muster.client;

import dev.muster.document.internal.QueueDocument;
import dev.muster.document.internal.QueueLimitDocument;
import dev.muster.internal.runtime.Names;
import dev.muster.job.InvalidJobLimit;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.job.Queues;
import java.util.List;

/** Queues over HTTP. */
final class ClientQueues implements Queues {
    private static final String QUEUES = "/_api/queues";

    private final Gateway gateway;

    ClientQueues(Gateway gateway) {
        this.gateway = gateway.invalid(InvalidJobLimit::new);
    }

    @Override
    public void pause(String queue) {
        gateway.repeatable("POST", path(queue, "pause"), null);
    }

    @Override
    public void resume(String queue) {
        gateway.repeatable("POST", path(queue, "resume"), null);
    }

    @Override
    public void limit(String queue, QueueLimit limit) {
        boolean none = limit.isNone();
        gateway.repeatable(
                none ? "DELETE" : "PUT", path(queue, "limit"), none ? null : QueueLimitDocument.write(limit));
    }

    private static String path(String queue, String what) {
        return Gateway.path(QUEUES, Names.require("queue", queue), what);
    }

    @Override
    public List<QueueInfo> list() {
        return gateway.get(QUEUES).list("queues").stream()
                .map(QueueDocument::read)
                .toList();
    }
}
