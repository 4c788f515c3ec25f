package dev.muster.gateway.internal;

import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.config.GatewayConfig;
import dev.muster.gateway.internal.EventStreams.Listener;
import dev.muster.gateway.internal.auth.Authentication;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Method;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.FreshReads;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.internal.runtime.SentCommits;
import dev.muster.internal.runtime.Traceparent;
import dev.muster.internal.telemetry.CallerTrace;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What requests go through, in this order; see the package description. */
final class Pipeline {
    private static final Logger log = LoggerFactory.getLogger(Pipeline.class);

    private final Supplier<Muster> muster;
    private final GatewayConfig config;
    private final RequestCapacity capacity;
    private final RequestCapacity files;
    private final Turns turns;
    private final Authentication authentication;
    private final Authorisation authorisation;
    private final CallerLimits limits;
    private final AuditTrail audit;
    private final ReplicaLag lag;
    private final LargeReads largeReads = LargeReads.ofHeap();
    private final BodyRoom room;

    /**
     * How much a server does at the same time.
     *
     * @param requests the places for requests
     * @param files the places for files that are sent
     * @param turns which of the requests that have a place are worked on
     */
    record Capacities(RequestCapacity requests, RequestCapacity files, Turns turns) {}

    Pipeline(
            Supplier<Muster> muster,
            GatewayConfig config,
            Capacities capacities,
            Authentication authentication,
            CallerLimits limits,
            AuditTrail audit,
            ReplicaLag lag) {
        this.muster = muster;
        this.config = config;
        this.capacity = capacities.requests();
        this.files = capacities.files();
        this.turns = capacities.turns();
        this.authentication = authentication;
        this.authorisation =
                new Authorisation(() -> muster.get().api(NodeContext.class).observes());
        this.limits = limits;
        this.audit = audit;
        this.lag = lag;
        this.room = new BodyRoom(config.maxBody(), Runtime.getRuntime().maxMemory(), config.readTimeout());
    }

    /**
     * Handles a request and sends the answer. The request counts as handled only when the answer is sent: clients that read slowly take
     * the places of requests, not the threads of the probes, and a drain waits for them.
     *
     * @param send sends the answer to the caller, and returns when that is done
     * @throws Refusal if the request is refused, for whatever reason
     */
    void handle(Route route, Request request, String requestId, BiConsumer<Answer, Caller> send) {
        capacity.enter();
        largeReads.begin();
        try {
            Caller caller = caller(request);
            authorisation.require(route, caller);
            String sharer = sharer(caller);
            capacity.share(sharer);
            try {
                Map<String, String> limitHeaders = limits.take(caller);
                Answer answer = withHeaders(run(route, request, caller, requestId), limitHeaders);
                send.accept(route.method() == Method.GET ? withHeaders(answer, lag.header()) : answer, caller);
            } finally {
                capacity.leave(sharer);
            }
        } catch (RuntimeException | Error e) {
            throw Failures.of(e, route);
        } finally {
            LargeReads.end();
            capacity.leave();
        }
    }

    /** Who gets a share of the places and turns: all keys of a tenant together. */
    private static String sharer(Caller caller) {
        return caller.tenant().map(tenant -> "tenant " + tenant).orElse(caller.id());
    }

    private Caller caller(Request request) {
        Caller known = request.known();
        return known == null ? unknown(request) : known.at(request.address());
    }

    /** Whoever is refused before it is known loses the connection too: it may have sent thousands of requests at once. */
    private Caller unknown(Request request) {
        try {
            return authentication.authenticate(request.header(), request.address());
        } catch (Refusal refusal) {
            boolean closes = refusal.status() == 401 || refusal.status() == 429;
            throw closes ? refusal.header("Connection", "close") : refusal;
        }
    }

    /**
     * Sends a file to whoever asks. Those who read slowly take the places of other files, and of no request to the API.
     *
     * @param address whose share of the places it takes
     * @throws Refusal if no file is sent now, or the file is not there
     */
    void admit(String address, Runnable send) {
        if (capacity.isRefusing()) {
            throw RequestCapacity.draining();
        }
        files.enter();
        try {
            files.share(address);
            try {
                send.run();
            } finally {
                files.leave(address);
            }
        } finally {
            files.leave();
        }
    }

    /** Whether no request is admitted any more. */
    boolean isDraining() {
        return capacity.isRefusing();
    }

    /** Who gets the stream that answers this request. Keeps the credentials alone, because the request is over before the stream is. */
    Listener listener(Route route, Request request, Caller caller) {
        Map<String, String> credentials = new LinkedHashMap<>();
        for (String name : Authentication.HEADERS) {
            String value = request.header().apply(name);
            if (value != null) {
                credentials.put(name, value);
            }
        }
        String address = request.address();
        Caller known = request.known();
        return known == null
                ? new Listener(caller.id(), credentials.toString(), () -> stillMay(route, credentials, address))
                : new Listener(caller.id(), known.toString(), () -> true);
    }

    /** A database that does not answer ends no stream. */
    private boolean stillMay(Route route, Map<String, String> credentials, String address) {
        try {
            authorisation.require(route, authentication.authenticateAgain(credentials::get, address));
            return true;
        } catch (Refusal refusal) {
            return refusal.status() != 401 && refusal.status() != 403;
        } catch (MusterException e) {
            log.debug("whether a caller may still listen could not be found out", e);
            return true;
        }
    }

    private static Answer withHeaders(Answer answer, Map<String, String> more) {
        if (more.isEmpty()) {
            return answer;
        }
        Map<String, String> all = new LinkedHashMap<>(more);
        all.putAll(answer.headers());
        return new Answer(answer.status(), answer.document(), answer.contentType(), all);
    }

    private Answer run(Route route, Request request, Caller caller, String requestId) {
        BodyRoom.Share share = room.share();
        try {
            return run(route, request, caller, requestId, share);
        } finally {
            share.close();
        }
    }

    private Answer run(Route route, Request request, Caller caller, String requestId, BodyRoom.Share share) {
        Map<String, List<String>> query = query(request);
        refuseUnknown(route, query);
        byte[] bytes = Body.arrived(route, request, config.maxBody(), config.readTimeout());
        return inTurn(route, caller, () -> {
            Body body = Body.read(route, request, bytes, config.maxDepth(), share);
            return run(route, request, caller, requestId, query, body);
        });
    }

    private Answer run(
            Route route, Request request, Caller caller, String requestId, Map<String, List<String>> query, Body body) {
        if (route.parsesBody() && body.tree() instanceof List<?> batch && batch.size() <= config.maxCalls()) {
            limits.takeRest(caller, batch.size());
        }
        Call call = new Call(
                muster.get(),
                caller,
                requestId,
                request.basePath(),
                request.path(),
                query,
                body.text(),
                body.tree(),
                body.problem(),
                request.header());
        return audit.record(route, call, () -> handle(route, call));
    }

    /**
     * A turn begins when the body has arrived, so that who sends slowly keeps none, and before it is read: those who send many large bodies wait for
     * room for them only with the turns that they get. It is over when there is an answer, and not when that is sent. A function of the
     * application may wait for whatever it wants, and has limits of its own.
     */
    private Answer inTurn(Route route, Caller caller, Supplier<Answer> work) {
        if (route.runsFunction()) {
            return work.get();
        }
        String sharer = sharer(caller);
        turns.begin(sharer);
        try {
            return work.get();
        } finally {
            turns.end(sharer);
        }
    }

    /**
     * Answers to changes show what was changed, also where lists are read on a standby, and what is written belongs to the caller's trace; an
     * observer changes nothing. If the database stops answering when something is committed already, the caller does not get to know that
     * nothing was done.
     */
    private static Answer handle(Route route, Call call) {
        boolean mayChange = route.method() != Method.GET
                && !call.muster().api(NodeContext.class).observes();
        return mayChange
                ? FreshReads.during(() -> CallerTrace.during(
                        call.header(Traceparent.HEADER).orElse(null),
                        () -> SentCommits.during(() -> route.handler().handle(call))))
                : read(route, call);
    }

    /** Who only reads does not care what became of a commit. */
    private static Answer read(Route route, Call call) {
        try {
            return route.handler().handle(call);
        } catch (OutcomeUnknown e) {
            throw new DatabaseUnavailable(String.valueOf(e.getMessage()), e);
        }
    }

    private static Map<String, List<String>> query(Request request) {
        try {
            return request.query().get();
        } catch (IllegalArgumentException e) {
            throw Refusal.badRequest("the parameters behind the path are not well-formed: " + e.getMessage());
        }
    }

    /** A mistyped filter must not select everything. */
    private static void refuseUnknown(Route route, Map<String, List<String>> query) {
        List<String> known = route.parameters().stream()
                .filter(parameter -> !parameter.header())
                .map(Route.Parameter::name)
                .toList();
        for (String name : query.keySet()) {
            boolean ok = known.contains(name) || known.stream().anyMatch(one -> isOneOf(one, name));
            if (!ok) {
                throw Refusal.badRequest("'" + name + "' is no parameter of this route; there are "
                        + (known.isEmpty() ? "none" : String.join(", ", known)));
            }
        }
    }

    /** Whether the parameter is one of {@code metadata.*}. */
    private static boolean isOneOf(String pattern, String name) {
        String prefix = pattern.substring(0, pattern.length() - 1);
        return pattern.endsWith("*") && name.startsWith(prefix) && name.length() > prefix.length();
    }
}
