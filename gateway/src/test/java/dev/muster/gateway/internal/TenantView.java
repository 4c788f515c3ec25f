package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Kind;
import dev.muster.gateway.internal.route.Route.Tenants;
import dev.muster.gateway.internal.route.Schema;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Says of everything that a caller of a tenant may send, and of everything that it is answered, whose it is. */
final class TenantView {
    /** Whose a part of a request or of an answer is. */
    enum Whose {
        /**
         * It names or changes what belongs to the tenant, and nothing else: a tenant sends it as it likes, and the same text of another
         * tenant is about something else. In answers it has what the tenant has sent, or its ids.
         */
        OWN,
        /**
         * Others use it too. In requests: handlers, queues, nodes, and a job's share of them; what the cluster has not opened to tenants is
         * refused. In answers: a name of a handler, a status, a number, a time, from which alone nobody can tell whose it is.
         */
        SHARED,
        /** It is about the cluster or about others: a tenant's request with it is refused, and in its answers it is null. */
        HIDDEN
    }

    /** Parts of requests: of a path, of what is behind it, of headers and of bodies. {@link TenantRequestsIT} sends each of them. */
    static final Map<String, Whose> REQUESTS = classified("""
            OWN    path id
            SHARED path function
            OWN    query id status tag metadata metadata.* key before limit after with_dependents batch name queue
            OWN    header Idempotency-Key
            SHARED JobRequest name queue capability placement priority max_attempts max_crashes timeout concurrency_key
            OWN    JobRequest args delay at key tags metadata expires_at expires_in declared
            OWN    JobRequest depends_on depends_on_any_outcome fair_key fifo trace
            SHARED Placement require forbid nodes not_nodes
            HIDDEN JobRequest batch id
            OWN    POST:/_api/jobs/many jobs
            OWN    POST:/_api/jobs/{id}/reschedule at delay
            SHARED POST:/_api/jobs/{id}/reprioritise priority
            """);

    /** Members of answers. {@link TwoTenantsIT} compares this with the answers that it gets, but for {@link #UNSEEN}. */
    static final Map<String, Whose> ANSWERS = classified("""
            OWN    Job id args result error key tags progress metadata earlier_error trace dependencies
            SHARED Job name queue capability status priority attempt max_attempts crashes run_at created_at
            SHARED Job started_at finished_at lifted_to expires_at timeout_ms
            HIDDEN Job node waiting_reason batch
            OWN    Progress message
            SHARED Progress percent
            OWN    JobDependency id
            SHARED JobDependency status any_outcome
            OWN    JobPage jobs next
            SHARED JobPage searched_back_to
            OWN    Enqueued id
            SHARED Enqueued created
            OWN    POST:/_api/jobs/many jobs
            SHARED GET:/_api/jobs/counts counts
            SHARED JobCounts waiting pending claimed running completed failed cancelled expired
            SHARED JobCount count exact
            SHARED GET:/_api/jobs/retryable jobs
            SHARED RetryableJobs name status jobs
            SHARED BulkCancellation cancelled requested
            SHARED Cancellation cancellation
            SHARED Retried retried
            OWN    GET:/_api/jobs/{id}/logs lines
            OWN    LogLine message
            SHARED LogLine line at attempt level
            OWN    GET:/_api/jobs/{id}/attempts attempts
            OWN    Attempt error
            SHARED Attempt attempt started_at ended_at outcome
            HIDDEN Attempt node
            SHARED GET:/_api/functions functions
            SHARED ClusterFunction name kind roles timeout limit args result
            HIDDEN ClusterFunction nodes
            OWN    Result data
            SHARED Result success error request_id
            OWN    Caller id tenant
            SHARED Caller scope names observer auth version
            HIDDEN Caller node
            """);

    /**
     * Members of which {@link TwoTenantsIT} sees too little to say whose they are: a job that completed after a failure, or was lifted
     * because it waited for long, a search that took long, a function with a limit, and a call that failed.
     */
    static final Set<String> UNSEEN = Set.of(
            "Job.earlier_error", "Job.lifted_to", "JobPage.searched_back_to", "ClusterFunction.limit", "Result.error");

    private TenantView() {}

    private static Map<String, Whose> classified(String table) {
        Map<String, Whose> all = new TreeMap<>();
        table.lines().forEach(line -> {
            List<String> words = List.of(line.strip().split("\\s+"));
            for (String member : words.subList(2, words.size())) {
                Whose before = all.put(name(words.get(1), member), Whose.valueOf(words.get(0)));
                if (before != null) {
                    throw new IllegalStateException(line + " has " + member + " twice");
                }
            }
        });
        return all;
    }

    private static String name(String where, String member) {
        return where + (where.equals("path") || where.equals("query") || where.equals("header") ? " " : ".") + member;
    }

    /** The routes that are open to tenants, but for files and probes, which know nobody. */
    static List<Route> routes() {
        return Routes.all().stream()
                .filter(route -> route.kind() == Kind.GUARDED && route.tenants() == Tenants.CONFINED)
                .toList();
    }

    /** All parts of requests to these routes. */
    static TreeSet<String> requests() {
        TreeSet<String> parts = new TreeSet<>();
        for (Route route : routes()) {
            route.pathParameters().forEach(parameter -> parts.add(name("path", parameter)));
            route.parameters()
                    .forEach(parameter -> parts.add(name(parameter.header() ? "header" : "query", parameter.name())));
            route.request().ifPresent(body -> addMembers(where(route), body, parts));
        }
        return parts;
    }

    /** All members of answers of these routes. */
    static TreeSet<String> answers() {
        TreeSet<String> members = new TreeSet<>();
        routes().forEach(route -> route.response().ifPresent(body -> addMembers(where(route), body, members)));
        return members;
    }

    static String where(Route route) {
        return route.method() + ":" + route.path();
    }

    private static void addMembers(String where, Schema schema, TreeSet<String> members) {
        String owner = schema.name().orElse(where);
        schema.properties().forEach((member, of) -> {
            if (members.add(owner + "." + member)) {
                addMembers(owner + "." + member, of, members);
            }
        });
        schema.items().ifPresent(of -> addMembers(where, of, members));
        schema.others().ifPresent(of -> addMembers(where + ".*", of, members));
    }
}
