package dev.muster.client;

import dev.muster.document.internal.DefinitionDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.RunDocument;
import dev.muster.document.internal.RunQueryDocument;
import dev.muster.document.internal.RunRequestDocument;
import dev.muster.document.internal.StepDocument;
import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.runtime.ResultJson;
import dev.muster.job.JobId;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStarter;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Workflows over HTTP. */
final class ClientWorkflows implements Workflows {
    private static final String RUNS = "/_api/workflows";
    private static final String DEFINITIONS = RUNS + "/definitions";
    private static final int MOST_IN_PAGE = 1_000;

    private final Gateway gateway;
    private final JsonCodec json;

    ClientWorkflows(Gateway gateway, JsonCodec json) {
        this.gateway = gateway;
        this.json = json;
    }

    @Override
    public RunStarter in(Connection connection) {
        throw new NeedsDatabase("starting runs in a transaction");
    }

    @Override
    public List<JobId> startAll(Collection<RunRequest> requests) {
        if (requests.size() > 1) {
            throw new NeedsDatabase("starting several runs, all or none,");
        }
        return requests.stream().map(this::startOne).toList();
    }

    private JobId startOne(RunRequest request) {
        boolean repeatable = request.key() != null || request.id() != null;
        return gateway.post(RUNS, RunRequestDocument.write(request, json), repeatable)
                .parsed("id", JobId::of);
    }

    @Override
    public Optional<RunInfo> find(JobId run) {
        return gateway.find(Gateway.path(RUNS, run)).map(RunDocument::read);
    }

    @Override
    public List<StepInfo> steps(JobId run) {
        return gateway.find(Gateway.path(RUNS, run)).map(fields -> fields.list("steps")).orElse(List.of()).stream()
                .map(StepDocument::read)
                .toList();
    }

    @Override
    public Optional<StepInfo> step(JobId run, String path) {
        return gateway.find(Gateway.path(RUNS, run, "steps", path)).map(StepDocument::read);
    }

    @Override
    public int countLive(String workflow, String version) {
        return gateway.get(Gateway.path(DEFINITIONS, workflow, version, "live")).integer("live");
    }

    @Override
    public List<RunInfo> list(RunQuery query) {
        List<RunInfo> runs = new ArrayList<>();
        RunQuery page = query;
        while (true) {
            int wanted = Math.min(MOST_IN_PAGE, query.limit() - runs.size());
            page = page.limit(wanted);
            List<RunInfo> read = gateway.get(RUNS, RunQueryDocument.write(page)).list("runs").stream()
                    .map(RunDocument::read)
                    .toList();
            runs.addAll(read);
            if (read.size() < wanted || runs.size() >= query.limit()) {
                return runs;
            }
            page = page.before(read.get(read.size() - 1).id());
        }
    }

    @Override
    public RunInfo await(JobId run, Duration timeout) {
        return Polling.until(
                "run " + run + " to end",
                timeout,
                last -> last.status().isTerminal() && last.continuedAs().isEmpty(),
                () -> lastOf(run));
    }

    /** The run itself, or the last of those that continue it. */
    private RunInfo lastOf(JobId run) {
        RunInfo last = require(run);
        while (last.continuedAs().isPresent()) {
            last = require(last.continuedAs().get());
        }
        return last;
    }

    private RunInfo require(JobId run) {
        return find(run).orElseThrow(() -> new MusterException("there is no run " + run));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> @Nullable R result(WorkflowType<?, R> type, RunInfo run) {
        if (type.result() == Void.class) {
            return null;
        }
        // A list may have left it out.
        Optional<String> result = run.result().filter(LeftOut::is).isPresent()
                ? find(run.id())
                        .orElseThrow(() -> new MusterException("there is no run " + run.id()))
                        .result()
                : run.result();
        return (R) result.map(text -> ResultJson.read(
                        json, text, type.result(), "run " + run.id() + " of workflow '" + run.workflow() + "'"))
                .orElse(null);
    }

    @Override
    public boolean signal(JobId run, String event, @Nullable Object payload, String eventId) {
        Map<String, @Nullable Object> body = new JsonObjectWriter()
                .put("event", event)
                .put(
                        "payload",
                        payload == null || payload instanceof RawJson ? payload : new RawJson(json.write(payload)))
                .put("event_id", eventId)
                .done();
        return gateway.post(Gateway.path(RUNS, run, "signal"), body, true).flag("sent");
    }

    /** With an id, the event is sent once, however often the request is. */
    @Override
    public void signal(JobId run, String event, @Nullable Object payload) {
        signal(run, event, payload, UUID.randomUUID().toString());
    }

    @Override
    public boolean cancel(JobId run, String reason) {
        try {
            gateway.post(Gateway.path(RUNS, run, "cancel"), reason(reason), true);
            return true;
        } catch (GatewayException e) {
            if (e.isUnchanged()) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public boolean retry(JobId run) {
        return gateway.changes("POST", Gateway.path(RUNS, run, "retry"), null, false);
    }

    @Override
    public int retire(String workflow, String version, String reason) {
        return gateway.post(Gateway.path(DEFINITIONS, workflow, version, "retire"), reason(reason), true)
                .integer("retired");
    }

    private static Map<String, @Nullable Object> reason(String reason) {
        return new JsonObjectWriter().put("reason", reason).done();
    }

    @Override
    public void pause(String workflow) {
        gateway.repeatable("POST", Gateway.path(DEFINITIONS, workflow, "pause"), null);
    }

    @Override
    public void resume(String workflow) {
        gateway.repeatable("POST", Gateway.path(DEFINITIONS, workflow, "resume"), null);
    }

    @Override
    public List<DefinitionInfo> definitions() {
        return gateway.get(DEFINITIONS).list("definitions").stream()
                .map(DefinitionDocument::read)
                .toList();
    }
}
