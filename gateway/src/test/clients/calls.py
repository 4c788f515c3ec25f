"""Calls every group of routes with the client that was generated from the OpenAPI document."""

import sys
import time
from datetime import datetime, timezone

import muster_client as muster

URL, KEY, MARKER = sys.argv[1:4]
CLIENT = muster.ApiClient(muster.Configuration(host=URL, access_token=KEY))


def called(operation):
    print("called " + operation)


def refused(status, send):
    try:
        send()
    except muster.ApiException as e:
        assert e.status == status, (e.status, e.body)
        assert e.data.success is False, e.body
        return
    raise AssertionError(f"expected {status}")


def node():
    assert muster.HealthApi(CLIENT).get_api_health().status == "ok"
    called("get_api_health")
    assert muster.ReadyApi(CLIENT).get_api_ready().ready
    called("get_api_ready")
    assert muster.MeApi(CLIENT).get_api_me().scope == "admin"
    called("get_api_me")
    assert muster.OpenapiJsonApi(CLIENT).get_api_openapi_json() is not None
    called("get_api_openapi_json")
    assert "# TYPE" in muster.MetricsApi(CLIENT).get_api_metrics()
    called("get_api_metrics")


def jobs():
    api = muster.JobsApi(CLIENT)
    request = muster.JobRequest(name="greet", args={"name": "Ada"}, tags=["vip", MARKER], metadata={"customer": MARKER})
    created = api.post_api_jobs_with_http_info(request, idempotency_key=MARKER)
    assert created.status_code == 201
    called("post_api_jobs")
    again = api.post_api_jobs_with_http_info(request, idempotency_key=MARKER)
    assert again.status_code == 200 and again.data.id == created.data.id, again
    refused(409, lambda: api.post_api_jobs(muster.JobRequest(name="greet", args="other"), idempotency_key=MARKER))
    refused(400, lambda: api.post_api_jobs(muster.JobRequest(name="no such job")))
    job = api.get_api_jobs_id(created.data.id)
    while job.finished_at is None:
        time.sleep(0.05)
        job = api.get_api_jobs_id(created.data.id)
    called("get_api_jobs_id")
    assert job.status == "completed" and job.metadata == {"customer": MARKER}, job
    plain = api.post_api_jobs(muster.JobRequest(name="greet", args="Bob", delay="1h"))
    assert not plain.metadata
    assert len(api.get_api_jobs(id=[job.id, plain.id]).jobs) == 2
    assert len(api.get_api_jobs(tag=["vip", MARKER], metadata=["customer=" + MARKER], status=["completed", "failed"]).jobs) == 1
    called("get_api_jobs")
    assert api.get_api_jobs_counts(name="greet").counts is not None
    called("get_api_jobs_counts")
    assert len(api.get_api_jobs_id_attempts(job.id).attempts) == 1
    called("get_api_jobs_id_attempts")
    assert api.get_api_jobs_id_logs(job.id).lines == []
    called("get_api_jobs_id_logs")
    api.post_api_jobs_id_reschedule(plain.id, muster.PostApiJobsIdRescheduleRequest(delay="2h"))
    called("post_api_jobs_id_reschedule")
    api.post_api_jobs_id_cancel(plain.id)
    called("post_api_jobs_id_cancel")
    assert api.post_api_jobs_id_retry(plain.id).retried == 1
    called("post_api_jobs_id_retry")
    later = datetime(2029, 1, 1, tzinfo=timezone.utc)
    many = muster.JobRequestList(jobs=[muster.JobRequest(name="greet", args=1), muster.JobRequest(name="greet", args=2, at=later)])
    assert len(api.post_api_jobs_many(many).jobs) == 2
    called("post_api_jobs_many")
    refused(404, lambda: api.get_api_jobs_id("01900000-0000-7000-8000-000000000000"))


def queues():
    api = muster.QueuesApi(CLIENT)
    queue = "queue-" + MARKER
    assert api.post_api_queues_name_pause(queue).paused
    called("post_api_queues_name_pause")
    assert not api.post_api_queues_name_resume(queue).paused
    called("post_api_queues_name_resume")
    assert api.put_api_queues_name_limit(queue, muster.QueueLimit(max_running=3)).max_running == 3
    called("put_api_queues_name_limit")
    assert api.delete_api_queues_name_limit(queue).max_running is None
    called("delete_api_queues_name_limit")
    assert api.get_api_queues().queues is not None
    called("get_api_queues")
    assert muster.ConcurrencyGroupsApi(CLIENT).get_api_concurrency_groups().concurrency_groups is not None
    called("get_api_concurrency_groups")
    assert muster.RateLimitsApi(CLIENT).get_api_rate_limits().rate_limits is not None
    called("get_api_limits")


def crons():
    api = muster.CronsApi(CLIENT)
    name = "cron-" + MARKER
    spec = muster.CronSpec(name=name, expression="0 3 * * *", job="greet", args="Ada", options=muster.JobOptions(queue="nightly"))
    created = api.post_api_crons_with_http_info(spec)
    called("post_api_crons")
    tag = created.headers["ETag"]
    assert api.get_api_crons_name(name).options.queue == "nightly"
    called("get_api_crons_name")
    spec.expression = "0 4 * * *"
    assert api.put_api_crons_name(name, spec, if_match=tag).expression == "0 4 * * *"
    called("put_api_crons_name")
    refused(412, lambda: api.put_api_crons_name(name, spec, if_match=tag))
    assert len(api.get_api_crons_name_next(name, count=3).ticks) == 3
    called("get_api_crons_name_next")
    assert api.post_api_crons_name_trigger(name).job is not None
    called("post_api_crons_name_trigger")
    api.delete_api_crons_name(name)
    called("delete_api_crons_name")


def workflows():
    api = muster.WorkflowsApi(CLIENT)
    run = api.post_api_workflows(muster.RunRequest(workflow_name="checkout", input="cart"), idempotency_key="run-" + MARKER)
    called("post_api_workflows")
    assert api.get_api_workflows_id(run.id).workflow_name == "checkout"
    called("get_api_workflows_id")
    assert api.post_api_workflows_id_signal(run.id, muster.PostApiWorkflowsIdSignalRequest(event="paid", payload=42)).sent
    called("post_api_workflows_id_signal")
    assert len(api.get_api_workflows(workflow_name="checkout", limit=1).runs) == 1
    called("get_api_workflows")
    assert api.get_api_workflows_definitions().definitions[0].workflow_name == "checkout"
    called("get_api_workflows_definitions")


def graphs():
    api = muster.GraphsApi(CLIENT)
    tasks = [muster.TaskRequest(id="a", name="greet", inputs="x"), muster.TaskRequest(id="b", name="greet", inputs="y", depends_on=["a"])]
    tree = api.post_api_graphs(muster.GraphRequest(name="two", tasks=tasks))
    called("post_api_graphs")
    assert api.get_api_graphs_id(tree.id).tasks[1].depends_on[0].id == "a"
    called("get_api_graphs_id")
    assert api.get_api_graphs(name="two").graphs
    called("get_api_graphs")


def batches():
    api = muster.BatchesApi(CLIENT)
    batch = api.post_api_batches(muster.BatchRequest(name="batch-" + MARKER, jobs=[muster.JobRequest(name="greet", args="x")]))
    called("post_api_batches")
    assert api.get_api_batches_id(batch.id).id == batch.id
    called("get_api_batches_id")
    assert len(api.get_api_batches(name="batch-" + MARKER).batches) == 1
    called("get_api_batches")


def cluster():
    node_id = muster.NodesApi(CLIENT).get_api_nodes().nodes[0].id
    called("get_api_nodes")
    assert muster.NodesApi(CLIENT).get_api_nodes_id(node_id).id == node_id
    called("get_api_nodes_id")
    assert muster.LeadersApi(CLIENT).get_api_leaders().leaders is not None
    called("get_api_leaders")
    assert muster.LocksApi(CLIENT).get_api_locks().locks is not None
    called("get_api_locks")
    assert muster.HandlersApi(CLIENT).get_api_handlers().handlers[0].name == "greet"
    called("get_api_handlers")
    assert muster.NamesApi(CLIENT).get_api_names().queues is not None
    called("get_api_names")
    assert muster.StatsApi(CLIENT).get_api_stats(since="1h").queues is not None
    called("get_api_stats")
    assert muster.OverviewApi(CLIENT).get_api_overview().attention is not None
    called("get_api_overview")
    assert muster.DaemonsApi(CLIENT).get_api_daemons().daemons is not None
    called("get_api_daemons")


def access():
    api = muster.KeysApi(CLIENT)
    key = api.post_api_keys(muster.KeyRequest(name="key-" + MARKER, scope="read"))
    called("post_api_keys")
    assert key.key.startswith("mk_")
    successor = api.post_api_keys_id_rotate(key.id)
    called("post_api_keys_id_rotate")
    api.delete_api_keys_id(successor.id)
    called("delete_api_keys_id")
    assert len(api.get_api_keys().keys) > 1
    called("get_api_keys")
    assert len(muster.AuditApi(CLIENT).get_api_audit(action="keys.create", limit=1).entries) == 1
    called("get_api_audit")


def functions():
    assert muster.FunctionsApi(CLIENT).get_api_functions().functions[0].name == "hello"
    called("get_api_functions")
    assert muster.RpcApi(CLIENT).post_api_rpc_function("hello").data == "hello"
    called("post_api_rpc_function")
    methods = muster.JsonRpcApi(CLIENT).post({"jsonrpc": "2.0", "id": 1, "method": "tasks.methods"})
    assert "tasks.execute" in str(methods)
    called("post")


for group in (node, jobs, queues, crons, workflows, graphs, batches, cluster, access, functions):
    group()
