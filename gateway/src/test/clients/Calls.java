import dev.muster.generated.ApiClient;
import dev.muster.generated.ApiException;
import dev.muster.generated.api.*;
import dev.muster.generated.model.*;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** Calls every group of routes with the client that was generated from the OpenAPI document. */
public final class Calls {
    private static final ApiClient CLIENT = new ApiClient();
    private static String marker = "";

    public static void main(String[] args) throws Exception {
        CLIENT.updateBaseUri(args[0]);
        CLIENT.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
        marker = args[2];
        node();
        jobs();
        queues();
        crons();
        workflows();
        graphs();
        batches();
        cluster();
        access();
        functions();
    }

    private static void called(String operation) {
        System.out.println("called " + operation);
    }

    private static void same(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError("expected " + expected + ", not " + actual);
        }
    }

    private static void refused(int status, Request request) throws Exception {
        try {
            request.send();
        } catch (ApiException e) {
            same(status, e.getCode());
            same(true, e.getResponseBody().contains("\"success\":false"));
            return;
        }
        throw new AssertionError("expected " + status);
    }

    private interface Request {
        void send() throws Exception;
    }

    private static void node() throws Exception {
        same("ok", new HealthApi(CLIENT).getApiHealth().getStatus().getValue());
        called("get_api_health");
        same(true, new ReadyApi(CLIENT).getApiReady().getReady());
        called("get_api_ready");
        same("admin", new MeApi(CLIENT).getApiMe().getScope());
        called("get_api_me");
        same(true, new OpenapiJsonApi(CLIENT).getApiOpenapiJson() != null);
        called("get_api_openapi_json");
        same(true, new MetricsApi(CLIENT).getApiMetrics().contains("# TYPE"));
        called("get_api_metrics");
    }

    private static void jobs() throws Exception {
        JobsApi api = new JobsApi(CLIENT);
        JobRequest request = new JobRequest()
                .name("greet")
                .args(Map.of("name", "Ada"))
                .tags(List.of("vip", marker))
                .metadata(Map.of("customer", marker));
        var created = api.postApiJobsWithHttpInfo(request, marker);
        same(201, created.getStatusCode());
        called("post_api_jobs");
        var again = api.postApiJobsWithHttpInfo(request, marker);
        same(200, again.getStatusCode());
        same(created.getData().getId(), again.getData().getId());
        refused(409, () -> api.postApiJobs(new JobRequest().name("greet").args("other"), marker));
        refused(400, () -> api.postApiJobs(new JobRequest().name("no such job"), null));
        UUID id = created.getData().getId();
        Job job = api.getApiJobsId(id);
        while (job.getFinishedAt() == null) {
            Thread.sleep(50);
            job = api.getApiJobsId(id);
        }
        called("get_api_jobs_id");
        same("completed", job.getStatus().getValue());
        same(marker, job.getMetadata().get("customer"));
        Job plain = api.postApiJobs(new JobRequest().name("greet").args("Bob").delay("1h"), null);
        same(true, plain.getMetadata() == null || plain.getMetadata().isEmpty());
        same(2, api.getApiJobs(List.of(id, plain.getId()), null, null, null, null, null, null, null, null, null)
                .getJobs()
                .size());
        same(1, api.getApiJobs(null, null, null, null, List.of("vip", marker), List.of("customer=" + marker), null, null, 10L, null)
                .getJobs()
                .size());
        called("get_api_jobs");
        same(true, api.getApiJobsCounts(null, null, "greet", null, null, null, null, null).getCounts() != null);
        called("get_api_jobs_counts");
        same(true, api.getApiJobsRetryable(null, null, "greet", null, null, null, null, null).getJobs() != null);
        called("get_api_jobs_retryable");
        same(0, api.getApiJobsIdLogs(id, null, null).getLines().size());
        called("get_api_jobs_id_logs");
        same(1, api.getApiJobsIdAttempts(id).getAttempts().size());
        called("get_api_jobs_id_attempts");
        same(plain.getId(), api.postApiJobsIdReschedule(plain.getId(), new PostApiJobsIdRescheduleRequest().delay("2h")).getId());
        called("post_api_jobs_id_reschedule");
        called("post_api_jobs_id_cancel " + api.postApiJobsIdCancel(plain.getId()).getCancellation());
        same(1L, api.postApiJobsIdRetry(plain.getId(), null).getRetried());
        called("post_api_jobs_id_retry");
        same(2, api.postApiJobsMany(new JobRequestList().jobs(List.of(
                        new JobRequest().name("greet").args(1), new JobRequest().name("greet").args(2).at(OffsetDateTime.now().plusDays(900)))))
                .getJobs()
                .size());
        called("post_api_jobs_many");
        api.postApiJobsCancel(null, null, null, null, List.of(marker + "-none"), null, null, null);
        called("post_api_jobs_cancel");
        refused(404, () -> api.getApiJobsId(UUID.fromString("01900000-0000-7000-8000-000000000000")));
    }

    private static void queues() throws Exception {
        QueuesApi api = new QueuesApi(CLIENT);
        String queue = "queue-" + marker;
        same(true, api.postApiQueuesNamePause(queue).getPaused());
        called("post_api_queues_name_pause");
        same(false, api.postApiQueuesNameResume(queue).getPaused());
        called("post_api_queues_name_resume");
        same(3L, api.putApiQueuesNameLimit(queue, new QueueLimit().maxRunning(3L)).getMaxRunning());
        called("put_api_queues_name_limit");
        same(queue, api.getApiQueuesName(queue).getName());
        called("get_api_queues_name");
        same(null, api.deleteApiQueuesNameLimit(queue).getMaxRunning());
        called("delete_api_queues_name_limit");
        same(true, api.getApiQueues().getQueues() != null);
        called("get_api_queues");
        same(true, new ConcurrencyGroupsApi(CLIENT).getApiConcurrencyGroups(null, null).getConcurrencyGroups() != null);
        called("get_api_concurrency_groups");
        same(true, new RateLimitsApi(CLIENT).getApiRateLimits(5L).getRateLimits() != null);
        called("get_api_limits");
    }

    private static void crons() throws Exception {
        CronsApi api = new CronsApi(CLIENT);
        String name = "cron-" + marker;
        CronSpec spec = new CronSpec()
                .name(name)
                .expression("0 3 * * *")
                .job("greet")
                .args("Ada")
                .options(new JobOptions().queue("nightly"));
        var created = api.postApiCronsWithHttpInfo(spec);
        same(201, created.getStatusCode());
        called("post_api_crons");
        String tag = created.getHeaders().get("etag").get(0);
        same("nightly", api.getApiCronsName(name).getOptions().getQueue());
        called("get_api_crons_name");
        same("greet", api.getApiCronsNameSpec(name).getJob());
        called("get_api_crons_name_spec");
        same("0 4 * * *", api.putApiCronsName(name, spec.expression("0 4 * * *"), tag).getExpression());
        called("put_api_crons_name");
        refused(412, () -> api.putApiCronsName(name, spec, tag));
        same(true, api.postApiCronsNamePause(name).getPaused());
        called("post_api_crons_name_pause");
        api.postApiCronsNameResume(name);
        called("post_api_crons_name_resume");
        same(true, api.postApiCronsNameTrigger(name).getJob() != null);
        called("post_api_crons_name_trigger");
        same(3, api.getApiCronsNameNext(name, 3L).getTicks().size());
        called("get_api_crons_name_next");
        same(true, api.getApiCronsNameHistory(name, null).getTicks() != null);
        called("get_api_crons_name_history");
        same(true, api.getApiCrons().getCrons().size() > 0);
        called("get_api_crons");
        api.deleteApiCronsName(name, null);
        called("delete_api_crons_name");
    }

    private static void workflows() throws Exception {
        WorkflowsApi api = new WorkflowsApi(CLIENT);
        Run run = api.postApiWorkflows(new RunRequest().workflowName("checkout").input("cart"), "run-" + marker);
        called("post_api_workflows");
        same("checkout", api.getApiWorkflowsId(run.getId()).getWorkflowName());
        called("get_api_workflows_id");
        same(true, api.postApiWorkflowsIdSignal(run.getId(), new PostApiWorkflowsIdSignalRequest().event("paid").payload(42)).getSent());
        called("post_api_workflows_id_signal");
        same(1, api.getApiWorkflows("checkout", null, null, 1L, null).getRuns().size());
        called("get_api_workflows");
        same("checkout", api.getApiWorkflowsDefinitions().getDefinitions().get(0).getWorkflowName());
        called("get_api_workflows_definitions");
        same(true, api.getApiWorkflowsDefinitionsNameVersionLive("checkout", "v1").getLive() >= 0);
        called("get_api_workflows_definitions_name_version_live");
        api.postApiWorkflowsDefinitionsNamePause("checkout");
        called("post_api_workflows_definitions_name_pause");
        api.postApiWorkflowsDefinitionsNameResume("checkout");
        called("post_api_workflows_definitions_name_resume");
        Run other = api.postApiWorkflows(new RunRequest().workflowName("checkout").input("x").delay("1h"), null);
        api.postApiWorkflowsIdCancel(other.getId(), new PostApiWorkflowsIdCancelRequest().reason("enough"));
        called("post_api_workflows_id_cancel");
    }

    private static void graphs() throws Exception {
        GraphsApi api = new GraphsApi(CLIENT);
        GraphTree tree = api.postApiGraphs(new GraphRequest()
                .name("two")
                .tasks(List.of(
                        new TaskRequest().id("a").name("greet").inputs("x"),
                        new TaskRequest().id("b").name("greet").inputs("y").dependsOn(new ArrayList<>(List.of("a"))))));
        called("post_api_graphs");
        same(2, tree.getTasks().size());
        same("a", api.getApiGraphsId(tree.getId()).getTasks().get(1).getDependsOn().get(0).getId());
        called("get_api_graphs_id");
        same("a", api.getApiGraphsIdTasksTask(tree.getId(), "a").getId());
        called("get_api_graphs_id_tasks_task");
        same(true, api.getApiGraphs("two", null, null, null).getGraphs().size() > 0);
        called("get_api_graphs");
    }

    private static void batches() throws Exception {
        BatchesApi api = new BatchesApi(CLIENT);
        Batch batch = api.postApiBatches(new BatchRequest().name("batch-" + marker));
        called("post_api_batches");
        same("open", batch.getStatus());
        same(batch.getId(), api.getApiBatchesId(batch.getId()).getId());
        called("get_api_batches_id");
        api.postApiBatchesIdSeal(batch.getId());
        called("post_api_batches_id_seal");
        same(1, api.getApiBatches("batch-" + marker, null, null, null).getBatches().size());
        called("get_api_batches");
    }

    private static void cluster() throws Exception {
        NodesApi nodes = new NodesApi(CLIENT);
        Node node = nodes.getApiNodes().getNodes().get(0);
        called("get_api_nodes");
        same(node.getId(), nodes.getApiNodesId(node.getId()).getId());
        called("get_api_nodes_id");
        same(true, new LeadersApi(CLIENT).getApiLeaders().getLeaders() != null);
        called("get_api_leaders");
        same(true, new LocksApi(CLIENT).getApiLocks().getLocks() != null);
        called("get_api_locks");
        same("greet", new HandlersApi(CLIENT).getApiHandlers().getHandlers().get(0).getName());
        called("get_api_handlers");
        same(true, new NamesApi(CLIENT).getApiNames().getQueues() != null);
        called("get_api_names");
        same(true, new StatsApi(CLIENT).getApiStats("1h").getQueues() != null);
        called("get_api_stats");
        same(true, new StatsApi(CLIENT).getApiStatsMinutes("1h", null).getQueues() != null);
        called("get_api_stats_minutes");
        same(true, new OverviewApi(CLIENT).getApiOverview().getAttention() != null);
        called("get_api_overview");
        same(true, new DaemonsApi(CLIENT).getApiDaemons().getDaemons() != null);
        called("get_api_daemons");
    }

    private static void access() throws Exception {
        KeysApi api = new KeysApi(CLIENT);
        ApiKey key = api.postApiKeys(new KeyRequest().name("key-" + marker).scope("read"));
        called("post_api_keys");
        same(true, key.getKey().startsWith("mk_"));
        same(key.getId(), api.getApiKeysId(key.getId()).getId());
        called("get_api_keys_id");
        ApiKey next = api.postApiKeysIdRotate(key.getId(), null);
        called("post_api_keys_id_rotate");
        api.deleteApiKeysId(next.getId());
        called("delete_api_keys_id");
        same(true, api.getApiKeys().getKeys().size() > 1);
        called("get_api_keys");
        same(1, new AuditApi(CLIENT).getApiAudit(null, "keys.create", null, 1L, null).getEntries().size());
        called("get_api_audit");
    }

    private static void functions() throws Exception {
        same("hello", new FunctionsApi(CLIENT).getApiFunctions().getFunctions().get(0).getName());
        called("get_api_functions");
        same("hello", new RpcApi(CLIENT).postApiRpcFunction("hello", null).getData());
        called("post_api_rpc_function");
        Object methods = new JsonRpcApi(CLIENT).post(Map.of("jsonrpc", "2.0", "id", 1, "method", "tasks.methods"));
        same(true, methods.toString().contains("tasks.execute"));
        called("post");
    }
}
