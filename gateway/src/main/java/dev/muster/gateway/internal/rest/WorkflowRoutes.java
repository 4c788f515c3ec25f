package dev.muster.gateway.internal.rest;

import static dev.muster.gateway.internal.rest.Parameters.jobId;

import dev.muster.access.Scope;
import dev.muster.document.internal.DefinitionDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.RunDocument;
import dev.muster.document.internal.RunQueryDocument;
import dev.muster.document.internal.RunRequestDocument;
import dev.muster.document.internal.StepDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.StorableText;
import dev.muster.internal.workflow.WaitingReason;
import dev.muster.job.JobId;
import dev.muster.job.RawJson;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows;
import dev.muster.workflow.Workflows.RunQuery;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Workflows: start, list, show, signal, cancel, retry, retire, pause. */
public final class WorkflowRoutes {
    private static final List<String> STATUSES =
            RunStatus.known().stream().map(RunStatus::text).toList();

    public static final List<Route> ALL = List.of(
            Route.get("/_api/workflows", "List runs, the newest first.")
                    .query("workflow_name", Schema.text(), "only runs of this workflow")
                    .query("workflow_version", Schema.text(), "only runs of this version")
                    .queries("status", Schema.oneOf(STATUSES), "only runs with one of these statuses")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("before", Schema.uuid(), Parameters.BEFORE_TEXT)
                    .answers(Schemas.pageOf("runs", Schemas.RUN))
                    .to(WorkflowRoutes::list),
            Route.post("/_api/workflows", "Start a run. With a key that is taken, answers 200 and the existing run.")
                    .header("Idempotency-Key", "the run's key, instead of key in the body")
                    .takes(Schemas.RUN_REQUEST)
                    .answers(201, Schemas.RUN)
                    .orAnswers(200, Schemas.RUN, "a run with this key and this input was there before")
                    .answersHeader("Location", Parameters.LOCATION_TEXT)
                    .to(WorkflowRoutes::start),
            Route.get("/_api/workflows/definitions", "List the workflows that nodes have published.")
                    .answers(Schemas.wholeListOf("definitions", Schemas.DEFINITION))
                    .to(call -> Answer.list(
                            "definitions", call.muster().workflows().definitions(), DefinitionDocument::write)),
            Route.post("/_api/workflows/definitions/{name}/pause", "Let no run of this workflow begin or continue.")
                    .scope(Scope.ADMIN)
                    .audited("workflows.pause")
                    .answersNothing()
                    .to(call -> {
                        call.muster().workflows().pause(published(call));
                        return Answer.nothing();
                    }),
            Route.post("/_api/workflows/definitions/{name}/resume", "Let the runs of a paused workflow continue.")
                    .scope(Scope.ADMIN)
                    .audited("workflows.resume")
                    .answersNothing()
                    .to(call -> {
                        call.muster().workflows().resume(published(call));
                        return Answer.nothing();
                    }),
            Route.get("/_api/workflows/definitions/{name}/{version}/live", "Count the live runs of a version.")
                    .answers(Schema.object().members("live:int"))
                    .to(call -> Answer.of(
                            Map.of("live", call.muster().workflows().countLive(workflow(call), version(call))))),
            Route.post(
                            "/_api/workflows/definitions/{name}/{version}/retire",
                            "Give up all live runs of a version, because no code can resume them.")
                    .scope(Scope.ADMIN)
                    .audited("workflows.retire", "reason")
                    .takes(Schema.object().members("reason:text"))
                    .answers(Schema.object().members("retired:int"))
                    .to(call -> Answer.of(Map.of(
                            "retired", call.muster().workflows().retire(workflow(call), version(call), reason(call))))),
            Route.get("/_api/workflows/{id}", "Show a run with its steps, and why it is waiting.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.RUN)
                    .to(call -> details(call, run(call))),
            Route.get("/_api/workflows/{id}/steps/{path}", "Show a step of a run, with its whole result.")
                    .answers(Schemas.STEP)
                    .to(call -> Answer.of(StepDocument.write(step(call)))),
            Route.post("/_api/workflows/{id}/signal", "Send an event to a run.")
                    .path("id", Schema.uuid())
                    .takes(Schema.object().members("event:text payload:any~ event_id:text~"))
                    .answers(Schema.object().members("sent:flag"))
                    .to(WorkflowRoutes::signal),
            Route.post("/_api/workflows/{id}/cancel", "Ask a run to end; it runs its compensations.")
                    .path("id", Schema.uuid())
                    .audited("workflows.cancel", "reason")
                    .takes(Schema.object().members("reason:text"))
                    .answers(Schemas.RUN)
                    .to(call -> {
                        RunInfo run = run(call);
                        if (!call.muster().workflows().cancel(run.id(), reason(call))) {
                            throw Refusal.unchanged("run " + run.id() + " has ended");
                        }
                        return changed(call, run.id());
                    }),
            Route.post("/_api/workflows/{id}/retry", "Let a failed run continue.")
                    .path("id", Schema.uuid())
                    .audited("workflows.retry")
                    .answers(Schemas.RUN)
                    .to(call -> {
                        RunInfo run = run(call);
                        call.requireStart(run.workflow());
                        if (!call.muster().workflows().retry(run.id())) {
                            throw Refusal.unchanged("run " + run.id() + " has not failed");
                        }
                        return changed(call, run.id());
                    }));

    private WorkflowRoutes() {}

    private static String workflow(Call call) {
        return Names.require("workflow name", call.path("name"));
    }

    /** The name of a workflow that a node has published. */
    private static String published(Call call) {
        String name = workflow(call);
        if (call.muster().workflows().definitions().stream()
                .noneMatch(definition -> definition.name().equals(name))) {
            throw Parameters.none("workflow", name);
        }
        return name;
    }

    private static String version(Call call) {
        return Names.requireVersion("workflow version", call.path("version"));
    }

    private static String reason(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("reason");
        return fields.text("reason");
    }

    private static RunInfo run(Call call) {
        JobId id = jobId(call);
        return call.muster().workflows().find(id).orElseThrow(() -> Parameters.none("run", id));
    }

    private static StepInfo step(Call call) {
        JobId run = jobId(call);
        String path = call.path("path");
        if (!StorableText.isStorable(path)) {
            throw Parameters.none("step", "with this path in run " + run);
        }
        return call.muster()
                .workflows()
                .step(run, path)
                .orElseThrow(() -> Parameters.none("step", path + " in run " + run));
    }

    private static Answer changed(Call call, JobId id) {
        return Answer.of(AfterChange.read(call, () -> document(call, run(call)), "id", id));
    }

    private static Answer details(Call call, RunInfo run) {
        return Answer.of(document(call, run));
    }

    /** A run with its steps, and why it is waiting. */
    private static Map<String, @Nullable Object> document(Call call, RunInfo run) {
        Workflows workflows = call.muster().workflows();
        List<StepInfo> steps = workflows.steps(run.id());
        OverviewStore store = call.muster().api(NodeContext.class).port(OverviewStore.class);
        Optional<String> reason = WaitingReason.of(workflows, call.muster().jobs(), store::readTime, run, steps);
        return RunDocument.write(run, reason, steps);
    }

    private static Answer list(Call call) {
        RunQuery query = RunQueryDocument.read(call.query());
        List<RunInfo> runs = call.muster().workflows().list(query);
        return Answer.page(
                "runs", runs, query.limit(), RunDocument::write, one -> one.id().toString());
    }

    private static Answer start(Call call) {
        JsonObjectReader fields = call.fields();
        RunRequest request = RunRequestDocument.read(fields);
        Optional<String> key = call.header("Idempotency-Key");
        if (key.isPresent()) {
            if (request.key() != null && !request.key().equals(key.get())) {
                throw Refusal.badRequest("key: differs from the header Idempotency-Key");
            }
            request = request.key(key.get());
        }
        call.requireStart(request.workflow());
        Workflows workflows = call.muster().workflows();
        // With an id of its own, a run that has the key already can be told from a new one.
        RunRequest sent = request.key() == null || request.id() != null ? request : request.id(JobId.next());
        JobId id = workflows.start(sent);
        boolean created = sent.key() == null || id.equals(sent.id());
        Map<String, @Nullable Object> document = AfterChange.read(
                call,
                () -> RunDocument.write(workflows.find(id).orElseThrow(() -> Parameters.none("run", id))),
                "id",
                id);
        return (created ? Answer.created(document) : Answer.of(document)).header("Location", "workflows/" + id);
    }

    private static Answer signal(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("event", "payload", "event_id");
        JobId run = run(call).id();
        @Nullable
        RawJson payload = fields.optionalRaw("payload").map(RawJson::new).orElse(null);
        Optional<String> eventId = fields.optionalText("event_id");
        boolean sent = true;
        if (eventId.isPresent()) {
            sent = call.muster().workflows().signal(run, fields.text("event"), payload, eventId.get());
        } else {
            call.muster().workflows().signal(run, fields.text("event"), payload);
        }
        return Answer.of(Map.of("sent", sent));
    }
}
