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
import dev.muster.internal.runtime.ConnectionTurn;
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

/**
 * What requests go through, in this order; see the package description.
 *
 * <p>What is limited is taken in one order, and given back in the other one:
 *
 * <ol>
 *   <li>a place among the requests: is free, or the request is refused
 *   <li>memory for the body that arrives: is free, or the request is refused
 *   <li>a turn: is waited for
 *   <li>room for reading the body: is waited for
 *   <li>a connection to the database, one at a time; there are two more than turns
 *   <li>a place for a large answer: is waited for with a turn, and then by half of the turns at most; otherwise it is free, or the request is refused
 * </ol>
 *
 * <p>Nobody waits for something while it has what comes later, and whatever is waited for is held by somebody who waits for later things only. A request
 * that has its place for a large answer may need another connection: of those who wait for such places each has one, and they are fewer than the
 * turns. When its answer is sent, it needs nothing but its client, and that has a limited time if others wait.
 *
 * <p>Functions are different, because nobody knows what they do. They take 3 and 4 for reading a large body only, and have neither when they run. Their turn comes
 * with the connection that they ask for, before 5, and never for the second time in a request. For 6 they do not wait, and with 6 they do not wait for 3. A function
 * that calls its own gateway while it has a connection waits for a turn with a turn; like every wait, that ends with {@code gateway.read_timeout}.
 */
final class Pipeline {
    private static final Logger log = LoggerFactory.getLogger(Pipeline.class);

    /** The part of the turns that may be spent waiting for places of large answers, and the same for those of medium size. The rest is for other requests. */
    private static final int PART_THAT_WAITS = 4;

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
    private final LargeReads largeReads;
    private final ArrivedBodies arrived;
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
        long heap = Runtime.getRuntime().maxMemory();
        this.arrived = new ArrivedBodies(config.maxBody(), heap);
        this.room = new BodyRoom(config.maxBody(), heap, config.readTimeout());
        this.largeReads = LargeReads.ofHeap(Math.max(1, turns.most() / PART_THAT_WAITS), config.readTimeout());
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
        try {
            Caller caller = caller(request);
            authorisation.require(route, caller);
            String sharer = sharer(caller);
            capacity.share(sharer);
            largeReads.begin(sharer, !route.runsFunction());
            try {
                Map<String, String> limitHeaders = limits.take(caller);
                Answer answer = withHeaders(run(route, request, caller, requestId), limitHeaders);
                LargeReads.sending();
                send.accept(route.method() == Method.GET ? withHeaders(answer, lag.header()) : answer, caller);
            } finally {
                LargeReads.end();
                capacity.leave(sharer);
            }
        } catch (RuntimeException | Error e) {
            throw Failures.of(e, route);
        } finally {
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
        Map<String, List<String>> query = query(request);
        refuseUnknown(route, query);
        String sharer = sharer(caller);
        try (ArrivedBodies.Share memory = arrived.share(sharer)) {
            byte[] bytes = Body.arrived(route, request, config.maxBody(), config.readTimeout(), memory);
            if (route.runsFunction()) {
                Body body = bodyOfFunction(route, request, bytes, sharer);
                return ConnectionTurn.during(turn(sharer), () -> run(route, request, caller, requestId, query, body));
            }
            return inTurn(sharer, () -> {
                try (BodyRoom.Share share = room.share(sharer)) {
                    Body body = Body.read(route, request, bytes, config.maxDepth(), share);
                    return run(route, request, caller, requestId, query, body);
                }
            });
        }
    }

    /** A large body takes room, and a turn meanwhile, only while it is read: nobody knows how long the function will take. */
    private Body bodyOfFunction(Route route, Request request, byte[] bytes, String sharer) {
        Supplier<Body> read = () -> {
            try (BodyRoom.Share share = room.share(sharer)) {
                return Body.read(route, request, bytes, config.maxDepth(), share)
                        .withoutTree();
            }
        };
        return BodyRoom.isSmall(bytes.length) ? read.get() : inTurn(sharer, read);
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
     * room for them only with the turns that they get. It is over when there is an answer, and not when that is sent.
     */
    private <T> T inTurn(String sharer, Supplier<T> work) {
        turns.begin(sharer);
        try {
            return work.get();
        } finally {
            turns.end(sharer);
        }
    }

    /**
     * The turn that a function takes with a connection. Without one it takes none, because it may wait for whatever it wants. If it has read much, it does not
     * wait either: those who have the turns may wait for its place.
     */
    private ConnectionTurn.Turn turn(String sharer) {
        return new ConnectionTurn.Turn() {
            @Override
            public void begin() {
                if (!LargeReads.hasPlace()) {
                    waitForTurn(sharer);
                } else if (!turns.beginNow(sharer)) {
                    throw new DatabaseUnavailable("this node works on as many requests as it can", null);
                }
            }

            @Override
            public void end() {
                turns.end(sharer);
            }
        };
    }

    private void waitForTurn(String sharer) {
        try {
            turns.begin(sharer);
        } catch (Refusal refusal) {
            throw new DatabaseUnavailable(refusal.message(), refusal);
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
