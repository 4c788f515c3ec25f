package dev.muster.bench.peers.dbos;

import dev.muster.bench.contender.Payload;

/** The workflow as DBOS calls it. */
public interface AddingWorkflow {
    int run(Payload payload);
}
