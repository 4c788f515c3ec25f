package dev.muster.gateway.internal.rest;

import dev.muster.gateway.internal.route.Schema;
import dev.muster.gateway.internal.rpc.FunctionRoutes;
import dev.muster.graph.Trigger;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The shapes of all documents. */
final class Schemas {
    static final List<String> STATUSES =
            JobStatus.known().stream().map(JobStatus::text).toList();
    private static final Schema STATUS = Schema.oneOf(STATUSES);
    static final Schema PRIORITY = Schema.oneOf(Arrays.stream(Priority.values())
            .map(priority -> priority.name().toLowerCase(Locale.ROOT))
            .toList());

    private static final Schema PROGRESS = Schema.object("Progress").members("percent:int message:text?");
    private static final Schema JOB_DEPENDENCY =
            Schema.object("JobDependency").members("id:uuid status:text? any_outcome:flag");

    static final Schema JOB = Schema.object("Job")
            .members(
                    """
                    id:uuid name:text status:status queue:text capability:text? priority:priority attempt:int
                    max_attempts:int crashes:int node:text? args:any result:any? error:text? key:text? batch:uuid?
                    tags:[text] progress:progress? run_at:time created_at:time started_at:time? finished_at:time?
                    metadata:texts? lifted_to:text? waiting_reason:text? earlier_error:text? expires_at:time?
                    timeout_ms:int? trace:text? dependencies:[dependency]
                    """,
                    Map.of(
                            "status", STATUS,
                            "priority", PRIORITY,
                            "progress", PROGRESS,
                            "dependency", JOB_DEPENDENCY));

    static final Schema JOB_PAGE = Schema.object("JobPage")
            .members("jobs:[job] next:uuid? searched_back_to:time?", Map.of("job", JOB))
            .describe(
                    "newest first; continue with before = next. If searched_back_to is set, the page is what was found in "
                            + "the time that a search may take");

    private static final Schema PLACEMENT =
            Schema.object("Placement").members("require:[text]~ forbid:[text]~ nodes:[text]~ not_nodes:[text]~");

    /** The name of a priority, or its level as a number. */
    private static final Schema PRIORITY_OR_LEVEL = Schema.any()
            .describe(
                    "the name of a priority (" + String.join(", ", PRIORITY.values()) + "), or its level as a number");

    static final Schema JOB_REQUEST =
            Schema.object("JobRequest").members("""
                    name:text args:any~ queue:text~ capability:text~ priority:priority~ delay:duration~ at:time~ key:text~
                    tags:[text]~ metadata:texts~ max_attempts:int~ max_crashes:int~ timeout:duration~ expires_at:time~
                    expires_in:duration~ depends_on:[uuid]~ depends_on_any_outcome:[uuid]~ batch:uuid~
                    placement:placement~ concurrency_key:text~ fair_key:text~ fifo:text~ trace:text~ id:uuid~
                    declared:flag~
                    """, Map.of("priority", PRIORITY_OR_LEVEL, "placement", PLACEMENT));

    private static final String OPTION_MEMBERS =
            "queue:text?~ capability:text?~ priority:text?~ max_attempts:int?~ max_crashes:int?~ timeout:duration?~";
    private static final Schema JOB_OPTIONS = Schema.object("JobOptions").members(OPTION_MEMBERS);

    static final Schema HANDLER =
            Schema.object("Handler").members("name:text " + OPTION_MEMBERS.replace("~", "") + " tenants:flag");

    static final Schema ENQUEUED = Schema.object("Enqueued").members("id:uuid created:flag");
    static final Schema ATTEMPT = Schema.object("Attempt")
            .members("attempt:int node:text? started_at:time? ended_at:time outcome:text error:text?");
    static final Schema LOG_LINE =
            Schema.object("LogLine").members("line:int at:time attempt:int level:text message:text");
    static final Schema CANCELLATION = Schema.object("Cancellation").members("cancellation:text");
    static final Schema BULK_CANCELLATION = Schema.object("BulkCancellation").members("cancelled:int requested:int");
    static final Schema RETRYABLE = Schema.object("RetryableJobs").members("name:text status:text jobs:int");
    static final Schema RETRIED = Schema.object("Retried").members("retried:int");

    static final Schema QUEUE_LIMIT = Schema.object("QueueLimit").members("max_running:int?~ rate:text?~ burst:int?~");
    static final Schema QUEUE = Schema.object("Queue").members("""
                    name:text paused:flag paused_at:time? waiting:int pending:int claimed:int running:int
                    oldest_due:time? max_running:int? rate:text? burst:int? at_least:[text]
                    """);

    static final Schema CRON = Schema.object("Cron").members("""
                    name:text expression:text zone:text job:text source:text misfire:text catch_up_limit:int?
                    overlap:text jitter_ms:int paused:flag paused_at:time? gone_at:time? next_ticks:[time]
                    last_tick:time? last_job:uuid? problem:text? next_tick:time? args:any options:options updated_at:time
                    """, Map.of("options", JOB_OPTIONS));

    static final Schema CRON_TICK = Schema.object("CronTick")
            .members("at:time job:uuid? status:text? finished_at:time?")
            .describe("without a job the tick was skipped; without a status the job is not kept any more");

    static final Schema CRON_SPEC = Schema.object("CronSpec").members("""
                    name:text expression:text zone:text~ job:text args:any~ options:options~ misfire:text~
                    catch_up_limit:int~ overlap:text~ jitter:duration~
                    """, Map.of("options", JOB_OPTIONS));

    static final Schema DAEMON = Schema.object("Daemon").members("""
                    name:text per_node:flag status:text node:text? token:int? restarts:int started_at:time?
                    last_error:text? failed_at:time? slot:text?
                    """);

    static final Schema STEP = Schema.object("Step").members("""
                    path:text name:text kind:text status:text attempts:int node:text? result:any? error:text?
                    compensation:text? due_at:time? stored_at:time
                    """);

    static final Schema RUN = Schema.object("Run").members("""
                    id:uuid workflow_name:text workflow_version:text status:text resolution_reason:text? input:any
                    result:any? error:text? key:text? parent:uuid? continued_as:uuid? awaiting:[text] wake_at:time?
                    cancel_requested:flag node:text? created_at:time changed_at:time finished_at:time?
                    waiting_reason:text?~ steps:[step]~
                    """, Map.of("step", STEP));
    static final Schema RUN_REQUEST = Schema.object("RunRequest").members("""
                    workflow_name:text workflow_version:text~ input:any~ key:text~ delay:duration~ priority:priority~ id:uuid~
                    """, Map.of("priority", PRIORITY_OR_LEVEL));
    static final Schema DEFINITION = Schema.object("WorkflowDefinition").members("""
                    workflow_name:text workflow_version:text signature:text lifecycle:text steps:[text] live:flag
                    paused:flag first_seen:time
                    """);

    private static final Schema TASK_DEPENDENCY =
            Schema.object("TaskDependency").members("id:text required:flag");

    static final Schema TASK = Schema.object("Task").members("""
                    id:text name:text status:text job_id:uuid trigger:text depends_on:[dependency] queue:text capability:text
                    priority:text max_attempts:int? timeout:text? inputs:any result:any? error:text? reason:text?
                    waiting_reason:text? attempt:int node:text? started_at:time? finished_at:time?
                    """, Map.of("dependency", TASK_DEPENDENCY));
    private static final String GRAPH_MEMBERS = """
            id:uuid name:text? key:text? status:text reason:text? task_count:int ended_count:int progress:number
            cancel_requested:flag created_at:time finished_at:time?
            """;
    static final Schema GRAPH = Schema.object("Graph").members(GRAPH_MEMBERS);
    static final Schema GRAPH_TREE = Schema.object("GraphTree")
            .members(GRAPH_MEMBERS + " counts:ints tasks:[task] retried:int~", Map.of("task", TASK));
    private static final Schema TASK_REQUEST = Schema.object("TaskRequest")
            .members(
                    """
                    id:text name:text inputs:any~ depends_on:[parent]~ trigger:trigger~ priority:priority~ queue:text~
                    capability:text~ placement:placement~ max_attempts:int~ timeout:duration~
                    """,
                    Map.of(
                            "parent",
                            Schema.any().describe("the id of a task, or an object with id and required"),
                            "trigger",
                            Schema.oneOf(
                                    Trigger.known().stream().map(Trigger::text).toList()),
                            "priority",
                            PRIORITY_OR_LEVEL,
                            "placement",
                            PLACEMENT));
    static final Schema GRAPH_REQUEST = Schema.object("GraphRequest")
            .members("name:text~ key:text~ id:uuid~ tasks:[task]", Map.of("task", TASK_REQUEST));

    private static final Schema BATCH_COUNTS =
            Schema.object("BatchCounts").members("live:int completed:int failed:int cancelled:int expired:int");
    static final Schema BATCH = Schema.object("Batch").members("""
                    id:uuid name:text status:text condition:text success_rate:number? cancel_requested:flag jobs:counts~
                    completion_job:uuid? deciding_job:uuid? created_at:time sealed_at:time? closed_at:time?
                    """, Map.of("counts", BATCH_COUNTS));

    static final Schema BATCH_REQUEST = Schema.object("BatchRequest").members("""
                    name:text id:uuid~ condition:text~ success_rate:number~ decided_by:job~ on_complete:job~ jobs:[job]~
                    """, Map.of("job", JOB_REQUEST));

    static final Schema EXECUTOR =
            Schema.object("Executor").members("name:text size:int running:int stuck:int kind:text");
    static final Schema NODE =
            Schema.object("Node").members("""
                    id:text incarnation:uuid name:text? version:text? status:text apparent_status:text address:text?
                    roles:[text] queues:[text]? capabilities:[text] labels:texts handlers:[text] functions:[function] unrouted:[text]
                    executors:[executor] current_connections:int current_jobs:int cpu_usage:number memory_usage:int
                    started_at:time last_heartbeat:time heartbeat_age_ms:int heartbeat_interval_ms:int
                    """, Map.of("executor", EXECUTOR, "function", FunctionRoutes.FUNCTION));
    static final Schema MINUTE = Schema.object("Minute").members("""
                    minute:time completed:int failed:int cancelled:int expired:int run_p50_ms:number? run_p95_ms:number?
                    wait_p50_ms:number? wait_p95_ms:number? depth:int?
                    """);
    private static final Schema ROW = Schema.object("StatsRow").members("""
                    queue:text name:text~ completed:int failed:int cancelled:int expired:int per_minute:number
                    run_p50_ms:number? run_p95_ms:number? run_p95_worst_minute_ms:number?
                    wait_p50_ms:number? wait_p95_ms:number? wait_p95_worst_minute_ms:number? depth:int
                    """);
    static final Schema STATS =
            Schema.object("Stats").members("from:time to:time queues:[row] jobs:[row] age_ms:int", Map.of("row", ROW));
    private static final Schema MINUTES_OF_QUEUE = Schema.object("MinutesOfQueue")
            .members("name:text minutes:[minute]", Map.of("minute", MINUTE))
            .describe("all minutes from the first to the last, zeros where no job of the queue ended");
    static final Schema MINUTES = Schema.object("Minutes")
            .members("from:time to:time queues:[queue]", Map.of("queue", MINUTES_OF_QUEUE))
            .describe("to is the end of the last minute that has been counted");
    static final Schema LEADER = Schema.object("Leader")
            .members("role:text node:text? held:flag term:int timeline:int since:time expires_at:time expired:flag");
    private static final Schema COUNT = Schema.object("JobCount")
            .members("count:int exact:flag")
            .describe("if it is not exact, there are at least this many");
    private static final Schema COUNTS = Schema.object("JobCounts").members("""
                    waiting:count~ pending:count~ claimed:count~ running:count~ completed:count~ failed:count~
                    cancelled:count~ expired:count~
                    """, Map.of("count", COUNT));
    static final Schema ALL_COUNTS = Schema.object().members("counts:counts", Map.of("counts", COUNTS));
    private static final Schema FINDING = Schema.object("Finding")
            .with("kind", Schema.text())
            .with("severity", Schema.oneOf(List.of("critical", "warning")))
            .members("message:text link:text")
            .describe("something that needs attention; link is a page of the dashboard");
    static final Schema OVERVIEW = Schema.object("Overview")
            .members("at:time counts:counts minutes:[minute]", Map.of("counts", COUNTS, "minute", MINUTE))
            .with(
                    "nodes",
                    Schema.object("NodeCounts").members("joining:int active:int draining:int stale:int dead:int"))
            .members("leaders:[leader] attention:[finding]", Map.of("leader", LEADER, "finding", FINDING))
            .describe("counts has the live jobs, and those that failed within the last 24 hours");
    static final Schema LOCK =
            Schema.object("Lock").members("name:text node:text locked_at:time expires_at:time token:int");

    private Schemas() {}

    /** A list in an object of its own, so that more can be said about it later. */
    static Schema listOf(String member, Schema of) {
        return Schema.object().with(member, Schema.list(of));
    }

    /** A list that has everything, or says how much it has left out. */
    static Schema wholeListOf(String member, Schema of) {
        return listOf(member, of).may("left_out", Schema.integer());
    }

    /** A page: continue with {@code before = next}. */
    static Schema pageOf(String member, Schema of) {
        return listOf(member, of).with("next", Schema.text().orNull());
    }
}
