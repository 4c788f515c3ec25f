// Calls every group of routes with the client that was generated from the OpenAPI document.
import * as muster from './client/index';

declare const process: { argv: string[] };

const [url, key, marker] = process.argv.slice(2) as [string, string, string];
const config = new muster.Configuration({ basePath: url, accessToken: key });

function called(operation: string): void {
  console.log('called ' + operation);
}

function same(expected: unknown, actual: unknown): void {
  if (expected !== actual) {
    throw new Error(`expected ${expected}, not ${actual}`);
  }
}

async function refused(status: number, request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (e) {
    const response = (e as muster.ResponseError).response;
    same(status, response.status);
    same(false, (await response.json()).success);
    return;
  }
  throw new Error(`expected ${status}`);
}

async function node(): Promise<void> {
  same('ok', (await new muster.HealthApi(config).getApiHealth()).status);
  called('get_api_health');
  same(true, (await new muster.ReadyApi(config).getApiReady()).ready);
  called('get_api_ready');
  same('admin', (await new muster.MeApi(config).getApiMe()).scope);
  called('get_api_me');
  same('object', typeof (await new muster.OpenapiJsonApi(config).getApiOpenapiJson()));
  called('get_api_openapi_json');
  same(true, (await new muster.MetricsApi(config).getApiMetrics()).includes('# TYPE'));
  called('get_api_metrics');
}

async function jobs(): Promise<void> {
  const api = new muster.JobsApi(config);
  const jobRequest = { name: 'greet', args: { name: 'Ada' }, tags: ['vip', marker], metadata: { customer: marker } };
  const created = await api.postApiJobsRaw({ jobRequest, idempotencyKey: marker });
  same(201, created.raw.status);
  called('post_api_jobs');
  const id = (await created.value()).id;
  const again = await api.postApiJobsRaw({ jobRequest, idempotencyKey: marker });
  same(200, again.raw.status);
  same(id, (await again.value()).id);
  await refused(409, api.postApiJobs({ jobRequest: { name: 'greet', args: 'other' }, idempotencyKey: marker }));
  await refused(400, api.postApiJobs({ jobRequest: { name: 'no such job' } }));
  let job = await api.getApiJobsId({ id });
  while (job.finishedAt === null) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    job = await api.getApiJobsId({ id });
  }
  called('get_api_jobs_id');
  same('completed', job.status);
  same(marker, job.metadata?.['customer']);
  same(true, job.createdAt instanceof Date);
  const plain = await api.postApiJobs({ jobRequest: { name: 'greet', args: 'Bob', delay: '1h' } });
  same(0, Object.keys(plain.metadata ?? {}).length);
  same(2, (await api.getApiJobs({ id: [id, plain.id] })).jobs.length);
  const found = await api.getApiJobs({ tag: ['vip', marker], metadata: ['customer=' + marker], status: ['completed', 'failed'] });
  same(1, found.jobs.length);
  called('get_api_jobs');
  same('object', typeof (await api.getApiJobsCounts({ name: 'greet' })).counts);
  called('get_api_jobs_counts');
  same(1, (await api.getApiJobsIdAttempts({ id })).attempts.length);
  called('get_api_jobs_id_attempts');
  same(0, (await api.getApiJobsIdLogs({ id })).lines.length);
  called('get_api_jobs_id_logs');
  await api.postApiJobsIdReschedule({ id: plain.id, postApiJobsIdRescheduleRequest: { delay: '2h' } });
  called('post_api_jobs_id_reschedule');
  await api.postApiJobsIdCancel({ id: plain.id });
  called('post_api_jobs_id_cancel');
  same(1, (await api.postApiJobsIdRetry({ id: plain.id })).retried);
  called('post_api_jobs_id_retry');
  const many = { jobs: [{ name: 'greet', args: 1 }, { name: 'greet', args: 2, at: new Date('2029-01-01T00:00:00Z') }] };
  same(2, (await api.postApiJobsMany({ jobRequestList: many })).jobs.length);
  called('post_api_jobs_many');
  await refused(404, api.getApiJobsId({ id: '01900000-0000-7000-8000-000000000000' }));
}

async function queues(): Promise<void> {
  const api = new muster.QueuesApi(config);
  const name = 'queue-' + marker;
  same(true, (await api.postApiQueuesNamePause({ name })).paused);
  called('post_api_queues_name_pause');
  same(false, (await api.postApiQueuesNameResume({ name })).paused);
  called('post_api_queues_name_resume');
  same(3, (await api.putApiQueuesNameLimit({ name, queueLimit: { maxRunning: 3 } })).maxRunning);
  called('put_api_queues_name_limit');
  same(null, (await api.deleteApiQueuesNameLimit({ name })).maxRunning);
  called('delete_api_queues_name_limit');
  same(true, Array.isArray((await api.getApiQueues()).queues));
  called('get_api_queues');
  same(true, Array.isArray((await new muster.ConcurrencyGroupsApi(config).getApiConcurrencyGroups()).concurrency_groups));
  called('get_api_concurrency_groups');
  same(true, Array.isArray((await new muster.RateLimitsApi(config).getApiRateLimits()).rate_limits));
  called('get_api_limits');
}

async function crons(): Promise<void> {
  const api = new muster.CronsApi(config);
  const name = 'cron-' + marker;
  const cronSpec = { name, expression: '0 3 * * *', job: 'greet', args: 'Ada', options: { queue: 'nightly' } };
  const created = await api.postApiCronsRaw({ cronSpec });
  called('post_api_crons');
  const ifMatch = created.raw.headers.get('ETag') ?? '';
  same('nightly', (await api.getApiCronsName({ name })).options.queue);
  called('get_api_crons_name');
  const changed = { ...cronSpec, expression: '0 4 * * *' };
  same('0 4 * * *', (await api.putApiCronsName({ name, cronSpec: changed, ifMatch })).expression);
  called('put_api_crons_name');
  await refused(412, api.putApiCronsName({ name, cronSpec, ifMatch }));
  same(3, (await api.getApiCronsNameNext({ name, count: 3 })).ticks.length);
  called('get_api_crons_name_next');
  same('string', typeof (await api.postApiCronsNameTrigger({ name })).job);
  called('post_api_crons_name_trigger');
  await api.deleteApiCronsName({ name });
  called('delete_api_crons_name');
}

async function workflows(): Promise<void> {
  const api = new muster.WorkflowsApi(config);
  const run = await api.postApiWorkflows({ runRequest: { workflowName: 'checkout', input: 'cart' }, idempotencyKey: 'run-' + marker });
  called('post_api_workflows');
  same('checkout', (await api.getApiWorkflowsId({ id: run.id })).workflowName);
  called('get_api_workflows_id');
  const signal = { event: 'paid', payload: 42 };
  same(true, (await api.postApiWorkflowsIdSignal({ id: run.id, postApiWorkflowsIdSignalRequest: signal })).sent);
  called('post_api_workflows_id_signal');
  same(1, (await api.getApiWorkflows({ workflowName: 'checkout', limit: 1 })).runs.length);
  called('get_api_workflows');
  same('checkout', (await api.getApiWorkflowsDefinitions()).definitions[0]?.workflowName);
  called('get_api_workflows_definitions');
}

async function graphs(): Promise<void> {
  const api = new muster.GraphsApi(config);
  const tasks = [{ id: 'a', name: 'greet', inputs: 'x' }, { id: 'b', name: 'greet', inputs: 'y', dependsOn: ['a'] }];
  const tree = await api.postApiGraphs({ graphRequest: { name: 'two', tasks } });
  called('post_api_graphs');
  same('a', (await api.getApiGraphsId({ id: tree.id })).tasks[1]?.dependsOn[0]?.id);
  called('get_api_graphs_id');
  same(true, (await api.getApiGraphs({ name: 'two' })).graphs.length > 0);
  called('get_api_graphs');
}

async function batches(): Promise<void> {
  const api = new muster.BatchesApi(config);
  const name = 'batch-' + marker;
  const batch = await api.postApiBatches({ batchRequest: { name, jobs: [{ name: 'greet', args: 'x' }] } });
  called('post_api_batches');
  same(batch.id, (await api.getApiBatchesId({ id: batch.id })).id);
  called('get_api_batches_id');
  same(1, (await api.getApiBatches({ name })).batches.length);
  called('get_api_batches');
}

async function cluster(): Promise<void> {
  const nodes = new muster.NodesApi(config);
  const id = (await nodes.getApiNodes()).nodes[0]?.id ?? '';
  called('get_api_nodes');
  same(id, (await nodes.getApiNodesId({ id })).id);
  called('get_api_nodes_id');
  same(true, Array.isArray((await new muster.LeadersApi(config).getApiLeaders()).leaders));
  called('get_api_leaders');
  same(true, Array.isArray((await new muster.LocksApi(config).getApiLocks()).locks));
  called('get_api_locks');
  same('greet', (await new muster.HandlersApi(config).getApiHandlers()).handlers[0]?.name);
  called('get_api_handlers');
  same(true, Array.isArray((await new muster.NamesApi(config).getApiNames()).queues));
  called('get_api_names');
  same(true, Array.isArray((await new muster.StatsApi(config).getApiStats({ since: '1h' })).queues));
  called('get_api_stats');
  same(true, Array.isArray((await new muster.OverviewApi(config).getApiOverview()).attention));
  called('get_api_overview');
  same(true, Array.isArray((await new muster.DaemonsApi(config).getApiDaemons()).daemons));
  called('get_api_daemons');
}

async function access(): Promise<void> {
  const api = new muster.KeysApi(config);
  const created = await api.postApiKeys({ keyRequest: { name: 'key-' + marker, scope: 'read' } });
  called('post_api_keys');
  same(true, created.key?.startsWith('mk_'));
  const next = await api.postApiKeysIdRotate({ id: created.id });
  called('post_api_keys_id_rotate');
  await api.deleteApiKeysId({ id: next.id });
  called('delete_api_keys_id');
  same(true, (await api.getApiKeys()).keys.length > 1);
  called('get_api_keys');
  same(1, (await new muster.AuditApi(config).getApiAudit({ action: 'keys.create', limit: 1 })).entries.length);
  called('get_api_audit');
}

async function functions(): Promise<void> {
  same('hello', (await new muster.FunctionsApi(config).getApiFunctions()).functions[0]?.name);
  called('get_api_functions');
  same('hello', (await new muster.RpcApi(config).postApiRpcFunction({ _function: 'hello' })).data);
  called('post_api_rpc_function');
  const methods = await new muster.JsonRpcApi(config).post({ body: { jsonrpc: '2.0', id: 1, method: 'tasks.methods' } });
  same(true, JSON.stringify(methods).includes('tasks.execute'));
  called('post');
}

async function all(): Promise<void> {
  for (const group of [node, jobs, queues, crons, workflows, graphs, batches, cluster, access, functions]) {
    await group();
  }
}

void all();
