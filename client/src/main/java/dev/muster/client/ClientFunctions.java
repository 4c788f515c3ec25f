package dev.muster.client;

import dev.muster.document.internal.JsonObjectReader;
import dev.muster.function.CallLimit;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionKind;
import dev.muster.function.FunctionResult;
import dev.muster.function.Functions;
import dev.muster.internal.config.DurationText;
import dev.muster.job.RawJson;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The functions of the gateway that answers. It knows the caller by the key of the client, whatever a call says. */
final class ClientFunctions implements Functions {
    private static final Pattern LIMIT = Pattern.compile("(\\d+) per (\\S+), key (\\S+)");

    private final Gateway gateway;

    ClientFunctions(Gateway gateway) {
        this.gateway = gateway;
    }

    /** A type of the other process, known by its name alone. */
    private record NamedType(String name) implements Type {
        @Override
        public String getTypeName() {
            return name;
        }
    }

    @Override
    public List<FunctionInfo> list() {
        return gateway.get("/_api/functions").list("functions").stream()
                .map(ClientFunctions::read)
                .toList();
    }

    private static FunctionInfo read(JsonObjectReader fields) {
        return new FunctionInfo(
                fields.text("name"),
                fields.parsed("kind", FunctionKind::stored),
                Set.copyOf(fields.texts("roles")),
                fields.optionalDuration("timeout").orElse(Duration.ZERO),
                fields.optionalText("limit").flatMap(ClientFunctions::limit),
                fields.optionalText("args").map(NamedType::new),
                new NamedType(fields.text("result")));
    }

    private static Optional<CallLimit> limit(String text) {
        Matcher parts = LIMIT.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        RateLimit limit = new RateLimit(Integer.parseInt(parts.group(1)), DurationText.parse(parts.group(2)));
        return Arrays.stream(RateKey.Kind.values())
                .filter(kind -> kind.toString().equals(parts.group(3)))
                .findFirst()
                .map(kind -> new CallLimit(limit, kind));
    }

    @Override
    public FunctionResult call(FunctionCall call) {
        return new FunctionResult(call(call.name(), call.argsJson()), Optional.empty());
    }

    /** The result as JSON. A call is sent once: the client does not know whether the function writes. */
    String call(String function, @Nullable String args) {
        RawJson body = args == null || args.isBlank() ? null : new RawJson(args);
        return gateway.post(Gateway.path("/_api/rpc", function), body, false)
                .rawEvenIfNull("data")
                .orElse("null");
    }
}
