package dev.muster.gateway.internal.metrics;

import java.util.List;

/** All metrics that a node writes. */
enum Metric {
    JOBS_CLAIMED(Type.COUNTER, "muster_jobs_claimed_total", "Jobs that this node has claimed.", "name", "queue"),
    JOBS_STARTED(Type.COUNTER, "muster_jobs_started_total", "Handlers that were called.", "name", "queue"),
    JOB_OUTCOMES(
            Type.COUNTER,
            "muster_job_outcomes_total",
            "Outcomes of this node's claims that the database has stored.",
            "name",
            "queue",
            "outcome"),
    JOB_RUN(
            Type.HISTOGRAM,
            "muster_job_run_seconds",
            "How long handlers and their interceptors took.",
            "name",
            "queue"),
    JOB_WAIT(
            Type.HISTOGRAM,
            "muster_job_wait_seconds",
            "How long jobs had been claimable when this node claimed them.",
            "name",
            "queue"),
    JOBS_EXPIRED(
            Type.COUNTER,
            "muster_jobs_expired_total",
            "Jobs that this node has ended because nobody claimed them in time.",
            "name",
            "queue"),
    CLAIMS_LOST(
            Type.COUNTER,
            "muster_claims_lost_total",
            "Claims that this node has lost: nothing was written for them.",
            "name",
            "queue",
            "reason"),
    CLAIMS_RECOVERED(
            Type.COUNTER,
            "muster_claims_recovered_total",
            "Claims that this node has taken back, mostly of other nodes.",
            "name",
            "queue",
            "crash"),
    HANDLERS_STUCK(
            Type.COUNTER, "muster_handlers_stuck_total", "Handlers that ignored their interruption.", "name", "queue"),
    HANDLERS_ENDED(Type.COUNTER, "muster_handlers_ended_total", "Handlers that have ended, by how they did.", "how"),
    EXCHANGES(
            Type.HISTOGRAM,
            "muster_exchange_seconds",
            "How long exchanges of outcomes for jobs took, including the wait for a connection."),
    EXCHANGED_OUTCOMES(
            Type.COUNTER,
            "muster_exchange_outcomes_total",
            "Outcomes that exchanges have sent, by what the database made of them.",
            "result"),
    PROBES(
            Type.HISTOGRAM,
            "muster_probe_seconds",
            "How long the database took to search for jobs that claims would miss.",
            "found"),
    LEADER(Type.GAUGE, "muster_leader", "1 if this node leads the role, otherwise 0.", "role"),
    LEADER_TERM(Type.GAUGE, "muster_leader_term", "The number of the term that this node led last; 0 if none.", "role"),
    LEADER_BEGINNINGS(Type.COUNTER, "muster_leader_beginnings_total", "How often this node has begun to lead.", "role"),
    NODE_JOINED(
            Type.COUNTER,
            "muster_node_joined_total",
            "How often this node has joined the cluster; again: after it was declared dead.",
            "again"),
    NODE_LEFT(Type.COUNTER, "muster_node_left_total", "How often this node has left the cluster."),
    PEERS_CHANGED(
            Type.COUNTER,
            "muster_peers_changed_total",
            "Other nodes that this node has marked as stale, dead or back.",
            "state"),
    CRON_TICKS(
            Type.COUNTER,
            "muster_cron_ticks_total",
            "Ticks of crons that this node has committed; skipped: an earlier job had not ended.",
            "cron",
            "result"),
    CRON_LATE(Type.HISTOGRAM, "muster_cron_late_seconds", "How much later than planned ticks of crons were committed."),
    DAEMONS_RUNNING(Type.GAUGE, "muster_daemons_running", "Runs of the daemon on this node now.", "daemon"),
    DAEMON_STARTS(Type.COUNTER, "muster_daemon_starts_total", "How often this node has started the daemon.", "daemon"),
    DAEMON_ENDS(
            Type.COUNTER,
            "muster_daemon_ends_total",
            "How often the daemon has ended on this node; stopped: it was told to.",
            "daemon",
            "how"),

    NODE_STATUS(
            Type.GAUGE,
            "muster_node_status",
            "1 for the status that this node has as it knows itself, 0 for all others.",
            "status"),
    JOBS_RUNNING(Type.GAUGE, "muster_jobs_running", "Handlers that run on this node now."),
    EXECUTOR_SLOTS(Type.GAUGE, "muster_executor_slots", "How many jobs the executor runs at once.", "executor", "kind"),
    EXECUTOR_RUNNING(Type.GAUGE, "muster_executor_running", "How many jobs the executor runs now.", "executor", "kind"),
    EXECUTOR_STUCK(
            Type.GAUGE,
            "muster_executor_stuck",
            "How many slots are used by handlers that ignore their interruption.",
            "executor",
            "kind"),
    CONNECTIONS(Type.GAUGE, "muster_connections_in_use", "Connections to the database that this node uses now."),
    BUILD(Type.INFO, "muster_build_info", "The version of Muster and of Java; always 1.", "version", "java"),
    MEMORY_USED(Type.GAUGE, "jvm_memory_used_bytes", "Memory that the JVM uses.", "area"),
    MEMORY_MAX(Type.GAUGE, "jvm_memory_max_bytes", "Memory that the JVM may use; -1 if there is no limit.", "area"),
    THREADS(Type.GAUGE, "jvm_threads_current", "Threads of the JVM, without virtual threads."),
    CPU(Type.COUNTER, "process_cpu_seconds_total", "CPU time that the process has used."),
    CPU_LOAD(Type.GAUGE, "muster_process_cpu_load", "Share of the machine's CPU that the process uses, 0 to 1."),

    HTTP_REQUESTS(
            Type.COUNTER,
            "muster_http_requests_total",
            "Requests that the gateway has answered; route none: there was no such path or method.",
            "method",
            "route",
            "status"),
    HTTP_DURATION(
            Type.HISTOGRAM, "muster_http_request_seconds", "How long the gateway took to answer.", "method", "route"),
    HTTP_IN_FLIGHT(
            Type.GAUGE,
            "muster_http_requests_in_flight",
            "Requests that the gateway handles now, this scrape included; gateway.max_requests is the most."),
    EVENT_CLIENTS(
            Type.GAUGE,
            "muster_event_clients",
            "Callers to which the gateway sends live events now; gateway.max_event_clients is the most."),
    HTTP_REFUSED(
            Type.COUNTER,
            "muster_http_refused_total",
            "Requests that were answered with 401, 403, 429 or 503, without the probes.",
            "reason"),

    DATABASE_UP(
            Type.GAUGE,
            "muster_database_up",
            "1 if the database answered when the figures of the cluster were last read, otherwise 0."),
    QUEUE_JOBS(
            Type.GAUGE,
            "muster_queue_jobs",
            "Live jobs of the queue in the cluster, and runs of workflows that are due or executed; a lower bound from about 10,000 on.",
            "queue",
            "status"),
    QUEUE_OLDEST_DUE(
            Type.GAUGE,
            "muster_queue_oldest_due_timestamp_seconds",
            "When the job that has been due for longest became due; absent if none is due.",
            "queue"),
    QUEUE_PAUSED(Type.GAUGE, "muster_queue_paused", "1 if the queue is paused, otherwise 0.", "queue"),
    NODES(
            Type.GAUGE,
            "muster_nodes",
            "Nodes of the cluster, by the status that follows from their last heartbeat.",
            "status");

    /** What kind of numbers a metric has. */
    enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM,
        /** A gauge that is always 1; its labels are the information. */
        INFO
    }

    private final Type type;
    private final String text;
    private final String help;
    private final List<String> labels;

    Metric(Type type, String text, String help, String... labels) {
        this.type = type;
        this.text = text;
        this.help = help;
        this.labels = List.of(labels);
    }

    Type type() {
        return type;
    }

    /** The name in the text, with the suffix of its type; samples of histograms also have suffixes of their own. */
    String text() {
        return text;
    }

    String help() {
        return help;
    }

    List<String> labels() {
        return labels;
    }
}
