package dev.muster.internal.function;

import dev.muster.access.Caller;
import dev.muster.function.CallLimit;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionException;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionResult;
import dev.muster.function.FunctionResult.Permit;
import dev.muster.function.Functions;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.internal.runtime.StorableText;
import dev.muster.job.RawJson;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lets calls in, in the order of the package description, and has them run. */
final class ServedFunctions implements Functions {
    private static final int LONGEST_WHO = 200;

    private final Map<String, FunctionHandler> byName;
    private final Node node;
    private final RateLimits limits;
    private final JsonCodec json;
    private final FunctionRunner runner;

    /**
     * What the node may do.
     *
     * @param serves whether it has the role {@code function}, or observes
     * @param observes whether it only reads
     */
    record Node(String id, boolean serves, boolean observes) {}

    /** @throws MusterException if two functions have the same name */
    ServedFunctions(
            Collection<FunctionHandler> functions,
            Node node,
            RateLimits limits,
            JsonCodec json,
            FunctionRunner runner) {
        this.byName = byName(functions);
        this.node = node;
        this.limits = limits;
        this.json = json;
        this.runner = runner;
    }

    private static Map<String, FunctionHandler> byName(Collection<FunctionHandler> functions) {
        Map<String, FunctionHandler> all = new TreeMap<>();
        for (FunctionHandler function : functions) {
            FunctionHandler other = all.put(function.name(), function);
            if (other != null) {
                throw new MusterException("two functions have the name '" + function.name() + "': " + other.where()
                        + " and " + function.where() + "; give one of them another name");
            }
        }
        return all;
    }

    @Override
    public List<FunctionInfo> list() {
        return byName.values().stream().map(FunctionHandler::info).toList();
    }

    @Override
    public FunctionResult call(FunctionCall call) {
        // First of all, so that a caller does not learn which other functions there are.
        if (!call.caller().mayStart(call.name())) {
            throw FunctionException.Refused.name(call.name(), call.caller());
        }
        FunctionHandler function = find(call.name(), call.caller());
        letIn(function, call.caller());
        Optional<Permit> permit = takePermit(function.info(), call.caller());
        @Nullable Object args = bind(function.info(), call.argsJson());
        return new FunctionResult(runner.run(function, call, args), permit);
    }

    private FunctionHandler find(String name, Caller caller) {
        if (!node.serves()) {
            throw new FunctionException.NotServed(name);
        }
        FunctionHandler function = byName.get(name);
        if (function == null || !CallRights.mayKnow(caller, function.info())) {
            throw new FunctionException.UnknownFunction(name, callable(caller));
        }
        return function;
    }

    /** The names of the functions that a caller may call; nobody is told of others. */
    private List<String> callable(Caller caller) {
        return byName.values().stream()
                .map(FunctionHandler::info)
                .filter(info -> CallRights.mayCall(caller, info))
                .map(FunctionInfo::name)
                .toList();
    }

    private void letIn(FunctionHandler function, Caller caller) {
        FunctionInfo info = function.info();
        if (!caller.may(info.kind().scope())) {
            throw FunctionException.Refused.scope(info, caller);
        }
        if (!caller.hasAny(info.roles())) {
            throw FunctionException.Refused.role(info, caller);
        }
        if (node.observes() && function.isMutation()) {
            throw new ObserverRefusal("run mutations");
        }
    }

    private Optional<Permit> takePermit(FunctionInfo function, Caller caller) {
        if (function.limit().isEmpty()) {
            return Optional.empty();
        }
        CallLimit limited = function.limit().get();
        RateLimit limit = limited.limit();
        Decision decision = limits.tryAcquire(key(function.name(), limited.key(), caller), limit);
        if (!decision.allowed()) {
            throw new FunctionException.TooManyCalls(function.name(), limit, decision);
        }
        return Optional.of(new Permit(limit, decision));
    }

    /** Whose count the call is added to. */
    static RateKey key(String function, RateKey.Kind kind, Caller caller) {
        String name = FunctionHandler.limitName(function);
        Optional<String> who = switch (kind) {
            case USER -> Optional.empty();
            case IP -> caller.address();
            case TENANT -> caller.tenant();
            case GLOBAL -> Optional.of("");
        };
        return who.map(text -> new RateKey(kind, name, kind == RateKey.Kind.GLOBAL ? text : shortened(text)))
                .orElseGet(() -> RateKey.user(name, shortened(caller.id())));
    }

    /** A hash instead of a text that a key cannot have. */
    private static String shortened(String who) {
        if (!who.isEmpty() && who.length() <= LONGEST_WHO && StorableText.isStorable(who)) {
            return who;
        }
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return "sha256:" + HexFormat.of().formatHex(sha.digest(who.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }

    private @Nullable Object bind(FunctionInfo function, @Nullable String args) {
        boolean none = args == null || args.isBlank();
        if (function.argsType().isEmpty()) {
            if (!none && !args.strip().equals("null") && !args.strip().equals("{}")) {
                throw new FunctionException.InvalidArgs(function.name(), "it takes none", null);
            }
            return null;
        }
        Type type = function.argsType().get();
        if (none) {
            throw new FunctionException.InvalidArgs(function.name(), "it needs args, and the call has none", null);
        }
        try {
            // Most functions pass their args on to the database.
            StorableJson.of(args);
            return bind(function, args, type);
        } catch (JsonException e) {
            throw new FunctionException.InvalidArgs(function.name(), String.valueOf(e.getMessage()), e);
        }
    }

    private Object bind(FunctionInfo function, String args, Type type) {
        if (type == RawJson.class) {
            json.check(args, Object.class);
            return new RawJson(args);
        }
        Object bound = json.readExactly(args, type);
        if (bound == null) {
            throw new FunctionException.InvalidArgs(function.name(), "it needs args, and the call has none", null);
        }
        return bound;
    }
}
