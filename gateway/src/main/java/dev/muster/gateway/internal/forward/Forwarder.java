package dev.muster.gateway.internal.forward;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.PublishedFunction;
import dev.muster.config.NodeRole;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionException;
import dev.muster.function.FunctionKind;
import dev.muster.gateway.internal.forward.Attempt.Answered;
import dev.muster.gateway.internal.forward.Attempt.Lost;
import dev.muster.gateway.internal.forward.Attempt.NotTaken;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.access.ClusterKeyStore.ClusterKey;
import dev.muster.internal.access.ClusterKeys;
import dev.muster.internal.access.DatabaseClock;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.Nearest;
import dev.muster.internal.function.CallRights;
import dev.muster.internal.function.FunctionNodeStore;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.Clock;
import dev.muster.runtime.WaitInterrupted;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Forwards calls of functions that this node does not run. The package description says to whom, and what is repeated. Thread-safe. */
public final class Forwarder implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Forwarder.class);

    /** The body of a call without args. There always is one, because its first byte is what a node has to ask for. */
    private static final byte[] NO_ARGS = "null".getBytes(StandardCharsets.US_ASCII);

    /** How long a node may take to accept a connection, and to ask for the body. */
    private static volatile Duration acceptWithin = Duration.ofSeconds(1);

    private final String ownNode;
    private final boolean ownNodeServes;
    private final Clock clock;
    private final ClusterKeys keys;
    private final DatabaseClock time;
    private final FunctionNodes nodes;
    private final Loads loads;
    private final Exchange exchange;
    private final SecureRandom random = new SecureRandom();

    private Forwarder(NodeContext node, ClusterKeys keys, DatabaseClock time) {
        this.ownNode = node.nodeId();
        this.ownNodeServes = node.config().node().has(NodeRole.FUNCTION);
        this.clock = node.clock();
        this.keys = keys;
        this.time = time;
        this.nodes = new FunctionNodes(node.port(FunctionNodeStore.class), clock);
        this.loads = new Loads(clock);
        this.exchange = new Exchange(clock, acceptWithin);
        node.registerNodesListener(nodes::changed);
    }

    /** For tests: lets nodes of a busy machine take longer. Holds for the forwarders that are created later. */
    static void allowFirstWord(Duration limit) {
        acceptWithin = limit;
    }

    /** The node's forwarder, one for all who ask. */
    public static Forwarder of(NodeContext node) {
        // Shared objects are created one at a time, so those that this one needs come first.
        ClusterKeys keys = AccessSubsystem.clusterKeys(node);
        DatabaseClock time = AccessSubsystem.databaseClock(node);
        return node.shared(Forwarder.class, () -> new Forwarder(node, keys, time));
    }

    /**
     * Has another node run a function.
     *
     * @return the answer of that node as it is, also if the function has failed or was refused
     * @throws Refusal with 404 if no node has the function; with 503 if no node took the call; with 500 or 504 if a node took it, and its
     *     answer did not arrive
     */
    public Answer forward(FunctionCall call) {
        Forwarding forwarding = new Forwarding(call);
        for (boolean renewed = false; ; renewed = true) {
            List<Candidate> candidates = forwarding.candidates();
            boolean refused = false;
            while (!candidates.isEmpty()) {
                Candidate node = loads.choose(candidates);
                candidates.remove(node);
                Attempt attempt = forwarding.attempt(node);
                if (attempt instanceof Answered answered) {
                    return answered.answer();
                }
                if (attempt instanceof Lost lost) {
                    forwarding.giveUpUnlessRepeatable(node, lost);
                } else if (attempt instanceof NotTaken notTaken) {
                    refused |= notTaken.refused();
                    forwarding.notTaken(node, notTaken);
                }
            }
            if (!refused || renewed) {
                throw forwarding.nobodyTookIt();
            }
            // What this node remembers of keys, of the time or of nodes may be out of date.
            keys.forget();
            nodes.changed();
            time.doubted();
            pause();
        }
    }

    /** The node that refused the ticket reads the keys again soon, but not at once. */
    private static void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(ClusterKeys.BETWEEN_LOOKS.multipliedBy(2).toNanos());
        } catch (InterruptedException e) {
            throw new WaitInterrupted("a node to read the keys of the cluster again", e);
        }
    }

    /** The way of one call. */
    private final class Forwarding {
        private final FunctionCall call;
        private final byte[] body;
        private final List<String> problems = new ArrayList<>();
        private @Nullable PublishedFunction function;
        private long deadline;
        private boolean repeated;

        Forwarding(FunctionCall call) {
            this.call = call;
            this.body = call.argsJson() == null ? NO_ARGS : call.argsJson().getBytes(StandardCharsets.UTF_8);
        }

        /** @throws Refusal if no node has the function, or none of those that have it can be called */
        List<Candidate> candidates() {
            List<NodeInfo> known = nodes.now();
            List<Candidate> candidates = new ArrayList<>();
            problems.clear();
            for (NodeInfo node : newestFirst(known)) {
                find(node).ifPresent(published -> {
                    found(published);
                    Candidate.of(node, published)
                            .ifPresentOrElse(candidates::add, () -> problems.add(Candidate.whyNot(node)));
                });
            }
            if (function == null) {
                throw unknown(known);
            }
            return candidates;
        }

        /** The function of the node that started last says how long the call may take. */
        private void found(PublishedFunction published) {
            if (function == null) {
                function = published;
                deadline = clock.nanos() + published.timeout().toNanos();
            }
        }

        private Optional<PublishedFunction> find(NodeInfo node) {
            return node.functions().stream()
                    .filter(published -> published.name().equals(call.name()))
                    .filter(published -> CallRights.mayKnow(call.caller(), published))
                    .filter(published -> !node.id().equals(ownNode))
                    .findFirst();
        }

        Attempt attempt(Candidate node) {
            Duration left = Duration.ofNanos(deadline - clock.nanos());
            if (left.toMillis() < 1) {
                throw Refusal.of(
                        504,
                        FunctionException.Timeout.CODE,
                        "'" + call.name() + "' did not begin within " + timeout()
                                + (problems.isEmpty() ? "" : because(String.join("; ", problems))));
            }
            loads.began(node.id());
            try {
                return exchange.attempt(node, () -> sign(node, left), body, left);
            } finally {
                loads.ended(node.id());
            }
        }

        private Exchange.Signed sign(Candidate node, Duration left) {
            byte[] nonce = new byte[16];
            random.nextBytes(nonce);
            Ticket ticket = new Ticket(
                    call.name(),
                    call.argsJson() != null,
                    Signatures.hash(body),
                    call.caller(),
                    call.requestId(),
                    node.id(),
                    node.incarnation(),
                    HexFormat.of().formatHex(nonce),
                    time.now().plus(TicketCheck.LIFE),
                    left,
                    1);
            ClusterKey key = keys.toSign();
            String text = ticket.encode();
            return new Exchange.Signed(ticket, text, key, Signatures.ofCall(key, text));
        }

        void notTaken(Candidate node, NotTaken attempt) {
            problems.add("node " + node.id() + " " + attempt.why());
            if (!attempt.refused()) {
                loads.avoid(node.id());
            }
            log.debug("function={} request={} node={} {}", call.name(), call.requestId(), node.id(), attempt.why());
        }

        /** @throws Refusal if the call must not be sent again */
        void giveUpUnlessRepeatable(Candidate node, Lost lost) {
            loads.avoid(node.id());
            log.warn(
                    "function={} request={} caller={} node={} took the call, and its answer did not arrive: {}",
                    call.name(),
                    call.requestId(),
                    call.caller().id(),
                    node.id(),
                    lost.why());
            boolean query = node.function().kind().equals(FunctionKind.QUERY.text());
            if (!query) {
                throw Refusal.of(
                        lost.timedOut() ? 504 : 500,
                        "outcome_unknown",
                        (showsNodes() ? "node " + node.id() : "a node") + " took the call of '" + call.name()
                                + "', and its answer did not arrive: " + lost.why()
                                + ". It may or may not have been committed; look before you call it again");
            }
            if (lost.timedOut()) {
                throw Refusal.of(
                        504, FunctionException.Timeout.CODE, "'" + call.name() + "' did not end within " + timeout());
            }
            problems.add("node " + node.id() + " " + lost.why());
            if (repeated || lost.answerBegan()) {
                throw nobodyTookIt();
            }
            repeated = true;
        }

        private String timeout() {
            return function == null ? "its time" : DurationText.format(function.timeout());
        }

        /** The nodes and what was wrong with each of them are not a tenant's business: for such a caller, the log has them. */
        private boolean showsNodes() {
            return call.caller().tenant().isEmpty();
        }

        private String because(String why) {
            if (showsNodes()) {
                return ": " + why;
            }
            log.warn("function={} request={} was not run: {}", call.name(), call.requestId(), why);
            return "";
        }

        Refusal nobodyTookIt() {
            return Refusal.unavailable(
                    "no_function_node",
                    "no node could run '" + call.name() + "'"
                            + because(problems.isEmpty() ? "none has it" : String.join("; ", problems)));
        }

        /** A name that no node has is the caller's mistake only if there is a node that could have it. */
        private Refusal unknown(List<NodeInfo> known) {
            if (!ownNodeServes && known.stream().noneMatch(Candidate::isServing)) {
                return Refusal.unavailable(
                        "no_function_node",
                        "no node could run '" + call.name()
                                + "': no node of the cluster that is active runs functions");
            }
            TreeSet<String> names = known.stream()
                    .flatMap(node -> node.functions().stream())
                    .filter(published -> CallRights.mayCall(call.caller(), published))
                    .map(PublishedFunction::name)
                    .collect(Collectors.toCollection(TreeSet::new));
            return Refusal.of(
                    404,
                    FunctionException.UnknownFunction.CODE,
                    "there is no function '" + call.name() + "'" + Nearest.suggestion(call.name(), names));
        }
    }

    private static List<NodeInfo> newestFirst(List<NodeInfo> nodes) {
        return nodes.stream()
                .sorted(Comparator.comparing(NodeInfo::startedAt).reversed())
                .toList();
    }

    @Override
    public void close() {
        exchange.close();
    }
}
