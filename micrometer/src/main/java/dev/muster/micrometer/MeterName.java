package dev.muster.micrometer;

import java.util.List;

/** All meters, with the names and tags that Micrometer has for them. */
enum MeterName {
    JOBS_CLAIMED(Type.COUNTER, "muster.jobs.claimed", "Jobs that this node has claimed", "name", "queue"),
    JOBS_STARTED(Type.COUNTER, "muster.jobs.started", "Handlers that were called", "name", "queue"),
    JOB_OUTCOMES(
            Type.COUNTER,
            "muster.job.outcomes",
            "Outcomes of this node's claims that the database has stored",
            "name",
            "queue",
            "outcome"),
    JOB_RUN(Type.TIMER, "muster.job.run", "How long handlers and their interceptors took", "name", "queue"),
    JOB_WAIT(
            Type.TIMER,
            "muster.job.wait",
            "How long jobs had been claimable when this node claimed them",
            "name",
            "queue"),
    JOBS_EXPIRED(
            Type.COUNTER,
            "muster.jobs.expired",
            "Jobs that this node has ended because nobody claimed them in time",
            "name",
            "queue"),
    CLAIMS_LOST(
            Type.COUNTER,
            "muster.claims.lost",
            "Claims that this node has lost: nothing was written for them",
            "name",
            "queue",
            "reason"),
    CLAIMS_RECOVERED(
            Type.COUNTER,
            "muster.claims.recovered",
            "Claims that this node has taken back, mostly of other nodes",
            "name",
            "queue",
            "crash"),
    HANDLERS_STUCK(Type.COUNTER, "muster.handlers.stuck", "Handlers that ignored their interruption", "name", "queue"),
    HANDLERS_ENDED(Type.COUNTER, "muster.handlers.ended", "Handlers that have ended, by how they did", "how"),
    EXCHANGES(
            Type.TIMER,
            "muster.exchange",
            "How long exchanges of outcomes for jobs took, including the wait for a connection"),
    EXCHANGED_OUTCOMES(
            Type.COUNTER,
            "muster.exchange.outcomes",
            "Outcomes that exchanges have sent, by what the database made of them",
            "result"),
    PROBES(Type.TIMER, "muster.probe", "How long the database took to search for jobs that claims would miss", "found"),
    LEADER(Type.GAUGE, "muster.leader", "1 if this node leads the role, otherwise 0", "role"),
    LEADER_TERM(Type.GAUGE, "muster.leader.term", "The number of the term that this node led last; 0 if none", "role"),
    LEADER_BEGINNINGS(Type.COUNTER, "muster.leader.beginnings", "How often this node has begun to lead", "role"),
    NODE_JOINED(
            Type.COUNTER,
            "muster.node.joined",
            "How often this node has joined the cluster; again: after it was declared dead",
            "again"),
    NODE_LEFT(Type.COUNTER, "muster.node.left", "How often this node has left the cluster"),
    PEERS_CHANGED(
            Type.COUNTER,
            "muster.peers.changed",
            "Other nodes that this node has marked as stale, dead or back",
            "state"),
    CRON_TICKS(
            Type.COUNTER,
            "muster.cron.ticks",
            "Ticks of crons that this node has committed; skipped: an earlier job had not ended",
            "cron",
            "result"),
    CRON_LATE(Type.TIMER, "muster.cron.late", "How much later than planned ticks of crons were committed"),
    DAEMONS_RUNNING(Type.GAUGE, "muster.daemons.running", "Runs of the daemon on this node now", "daemon"),
    DAEMON_STARTS(Type.COUNTER, "muster.daemon.starts", "How often this node has started the daemon", "daemon"),
    DAEMON_ENDS(
            Type.COUNTER,
            "muster.daemon.ends",
            "How often the daemon has ended on this node; stopped: it was told to",
            "daemon",
            "how"),
    NODE_STATUS(
            Type.GAUGE,
            "muster.node.status",
            "1 for the status that this node has as it knows itself, 0 for all others",
            "status"),
    JOBS_RUNNING(Type.GAUGE, "muster.jobs.running", "Handlers that run on this node now"),
    EXECUTOR_SLOTS(Type.GAUGE, "muster.executor.slots", "How many jobs the executor runs at once", "executor", "kind"),
    EXECUTOR_RUNNING(Type.GAUGE, "muster.executor.running", "How many jobs the executor runs now", "executor", "kind"),
    EXECUTOR_STUCK(
            Type.GAUGE,
            "muster.executor.stuck",
            "How many slots are used by handlers that ignore their interruption",
            "executor",
            "kind"),
    CONNECTIONS(Type.GAUGE, "muster.connections.in.use", "Connections to the database that this node uses now"),
    DATABASE_UP(
            Type.GAUGE,
            "muster.database.up",
            "1 if the database answered when the figures of the cluster were last read, otherwise 0"),
    QUEUE_JOBS(
            Type.GAUGE,
            "muster.queue.jobs",
            "Live jobs of the queue in the cluster, and runs of workflows that are due or executed; a lower bound from about 10,000 on",
            "queue",
            "status"),
    QUEUE_OLDEST_DUE(
            Type.GAUGE,
            "muster.queue.oldest.due.timestamp",
            "When the job that has been due for longest became due; absent if none is due",
            "queue"),
    QUEUE_PAUSED(Type.GAUGE, "muster.queue.paused", "1 if the queue is paused, otherwise 0", "queue"),
    NODES(
            Type.GAUGE,
            "muster.nodes",
            "Nodes of the cluster, by the status that follows from their last heartbeat",
            "status");

    /** What kind of numbers a meter has. */
    enum Type {
        COUNTER,
        GAUGE,
        TIMER
    }

    private final Type type;
    private final String text;
    private final String description;
    private final List<String> tags;

    MeterName(Type type, String text, String description, String... tags) {
        this.type = type;
        this.text = text;
        this.description = description;
        this.tags = List.of(tags);
    }

    Type type() {
        return type;
    }

    String text() {
        return text;
    }

    String description() {
        return description;
    }

    /** The names of its tags, in the order in which their values are given. */
    List<String> tags() {
        return tags;
    }
}
