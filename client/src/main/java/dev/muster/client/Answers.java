package dev.muster.client;

import dev.muster.document.internal.InvalidDocument;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.job.JobId;
import dev.muster.job.KeyConflict;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.runtime.OutcomeUnknown;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the answers of gateways. */
final class Answers {
    private static final int MAX_SHOWN = 200;

    private Answers() {}

    static boolean isGood(HttpResponse<String> answer) {
        return answer.statusCode() >= 200 && answer.statusCode() < 300;
    }

    /**
     * What the process would throw.
     *
     * @param invalid what it throws about a request that is wrong
     */
    static MusterException failure(HttpResponse<String> answer, Function<String, ? extends MusterException> invalid) {
        GatewayException e = exception(answer);
        String message = String.valueOf(e.getMessage());
        return switch (e.code()) {
            case "invalid_request", "invalid_json" -> invalid.apply(message);
            case "key_conflict" -> keyConflict(e, message);
            case "observer" -> ObserverRefusal.elsewhere(message);
            case "database_unavailable" -> new DatabaseUnavailable(message, e);
            case "outcome_unknown" -> outcomeUnknown(e, message);
            default -> e;
        };
    }

    private static MusterException outcomeUnknown(GatewayException e, String message) {
        Optional<JsonObjectReader> details =
                e.details().map(Json::read).filter(Map.class::isInstance).map(JsonObjectReader::of);
        return new OutcomeUnknown(
                message, details.map(known -> known.texts("ids")).orElse(List.of()), e);
    }

    private static MusterException keyConflict(GatewayException e, String message) {
        return e.details()
                .<MusterException>map(details ->
                        new KeyConflict(message, JsonObjectReader.read(details).parsed("existing", JobId::of)))
                .orElse(e);
    }

    static GatewayException exception(HttpResponse<String> answer) {
        return exception(address(answer), answer.statusCode(), answer.body());
    }

    /** @param address of whoever has answered */
    static GatewayException exception(String address, int status, String body) {
        try {
            JsonObjectReader envelope = JsonObjectReader.read(body);
            JsonObjectReader error = envelope.object("error");
            Optional<String> details = error.optionalRaw("details");
            return new GatewayException(
                    status,
                    error.text("code"),
                    error.text("message"),
                    details.orElse(null),
                    error.optionalLong("retry_after_secs")
                            .map(Duration::ofSeconds)
                            .orElse(null),
                    envelope.optionalText("request_id").orElse(null),
                    GatewayException.saysUnchanged(details.map(Json::read).orElse(null)));
        } catch (InvalidDocument e) {
            // Something between the client and the gateway may have answered.
            return new GatewayException(
                    status,
                    "unknown",
                    address + " answered with status " + status + ", and not as a gateway of Muster does: "
                            + shortened(body));
        }
    }

    /** Without the path, which may name what others need not know. */
    static String address(HttpResponse<String> answer) {
        return answer.uri().getScheme() + "://" + answer.uri().getAuthority();
    }

    private static String shortened(@Nullable String body) {
        String text = String.valueOf(body)
                .replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029\\s]+", " ")
                .strip();
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    static Optional<Duration> seconds(String text) {
        try {
            return Optional.of(Duration.ofSeconds(Long.parseLong(text.strip())))
                    .filter(duration -> !duration.isNegative());
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
