package dev.muster.gateway.internal.rest;

import dev.muster.access.Scope;
import dev.muster.cluster.NodeInfo;
import dev.muster.document.internal.JobOptionsDocument;
import dev.muster.document.internal.KnownNamesDocument;
import dev.muster.document.internal.LeaderDocument;
import dev.muster.document.internal.LockDocument;
import dev.muster.document.internal.MetricsDocument;
import dev.muster.document.internal.MinutesDocument;
import dev.muster.document.internal.NodeDocument;
import dev.muster.document.internal.OverviewDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.runtime.Names;
import dev.muster.job.HandlerInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The cluster itself: nodes, leaders, locks, what its nodes can run, its metrics. */
public final class ClusterRoutes {
    public static final List<Route> ALL = List.of(
            Route.get("/_api/overview", "The cluster at a glance, and what needs attention, the worst first.")
                    .answers(Schemas.OVERVIEW)
                    .to(call -> Answer.of(OverviewDocument.write(call.muster().overview()))),
            Route.get("/_api/nodes", "List the nodes of the cluster.")
                    .answers(Schemas.wholeListOf("nodes", Schemas.NODE))
                    .to(call -> Answer.list("nodes", call.muster().nodes(), NodeDocument::write)),
            Route.get("/_api/nodes/{id}", "Show a node.")
                    .answers(Schemas.NODE)
                    .to(call -> Answer.of(NodeDocument.write(node(call)))),
            Route.post("/_api/nodes/{id}/drain", "Tell a node to finish its work and leave.")
                    .scope(Scope.ADMIN)
                    .audited("nodes.drain")
                    .answers(202, Schemas.NODE)
                    .to(ClusterRoutes::drain),
            Route.get("/_api/leaders", "List the leader roles and who leads.")
                    .answers(Schemas.listOf("leaders", Schemas.LEADER))
                    .to(call -> Answer.of(Map.of(
                            "leaders",
                            call.muster().leaders().stream()
                                    .map(LeaderDocument::write)
                                    .toList()))),
            Route.get("/_api/locks", "List the locks that are held.")
                    .answers(Schemas.wholeListOf("locks", Schemas.LOCK))
                    .to(call -> Answer.list("locks", call.muster().locks().list(), LockDocument::write)),
            Route.get("/_api/handlers", "The jobs that live nodes have handlers for, with the handlers' options.")
                    .answers(Schemas.listOf("handlers", Schemas.HANDLER))
                    .to(ClusterRoutes::handlers),
            Route.get("/_api/names", "The names of jobs and queues that occur in the database.")
                    .answers(Schema.object("KnownNames").members("jobs:[text] queues:[text] used_queues:[text]"))
                    .to(call -> Answer.of(
                            KnownNamesDocument.write(call.muster().admin().knownNames()))),
            Route.get("/_api/stats", "Metrics of jobs, by queue and by name.")
                    .query("since", Schema.duration(), "how much time up to now, 1m or more; 1h when left out")
                    .answers(Schemas.STATS)
                    .to(ClusterRoutes::stats),
            Route.get("/_api/stats/minutes", "Metrics of jobs for each minute, by queue, those with the most jobs.")
                    .query("since", Schema.duration(), "how much time up to now, 1m to 1d; 1h when left out")
                    .query("queue", Schema.text(), "only this queue")
                    .answers(Schemas.MINUTES)
                    .to(ClusterRoutes::minutes));

    private ClusterRoutes() {}

    private static NodeInfo node(Call call) {
        String id = call.path("id");
        return call.muster().nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow(() -> Parameters.none("node", id));
    }

    private static Answer drain(Call call) {
        NodeInfo node = node(call);
        if (!call.muster().drainNode(node.id())) {
            throw Refusal.unchanged("node " + node.id() + " is not alive");
        }
        return new Answer(
                202,
                AfterChange.read(call, () -> NodeDocument.write(node(call)), "id", node.id()),
                Answer.JSON,
                Map.of());
    }

    private static Answer handlers(Call call) {
        Map<String, HandlerInfo> handlers = call.muster().admin().handlers();
        return Answer.of(Map.of(
                "handlers",
                handlers.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(handler -> JobOptionsDocument.handler(handler.getKey(), handler.getValue()))
                        .toList()));
    }

    private static Answer stats(Call call) {
        return Answer.of(MetricsDocument.write(call.muster().admin().metrics(since(call, Duration.ofDays(366)))));
    }

    private static Answer minutes(Call call) {
        Optional<String> queue = Parameters.inQuery(call, "queue", name -> Names.require("queue name", name));
        return Answer.of(MinutesDocument.write(call.muster().admin().minutes(since(call, Duration.ofDays(1)), queue)));
    }

    private static Duration since(Call call, Duration most) {
        Duration since = Parameters.inQuery(call, "since", DurationText::parse).orElse(Duration.ofHours(1));
        if (since.compareTo(Duration.ofMinutes(1)) < 0 || since.compareTo(most) > 0) {
            throw Refusal.badRequest(
                    "since: must be 1m to " + DurationText.format(most) + ", not " + DurationText.format(since));
        }
        return since;
    }
}
