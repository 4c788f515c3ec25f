package dev.muster.gateway.internal.rpc;

import dev.muster.access.Scope;
import dev.muster.document.internal.Json;
import dev.muster.function.FunctionCall;
import dev.muster.gateway.internal.forward.Signatures;
import dev.muster.gateway.internal.forward.Ticket;
import dev.muster.gateway.internal.forward.TicketCheck;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The one route of the port for forwarded calls. It is not in the list of the gateway's routes: nobody but gateways can use it. The scope
 * that the function needs is checked when it is called.
 */
public final class ForwardedCallRoute {
    private final TicketCheck tickets;
    private final Function<Throwable, Refusal> failures;
    private final BiFunction<Refusal, String, String> envelope;

    /**
     * @param failures turns what a function throws into a refusal
     * @param envelope writes a refusal and the id of its request as JSON
     */
    public ForwardedCallRoute(
            TicketCheck tickets, Function<Throwable, Refusal> failures, BiFunction<Refusal, String, String> envelope) {
        this.tickets = tickets;
        this.failures = failures;
        this.envelope = envelope;
    }

    public Route route() {
        return Route.post("/_internal/rpc/{function}", "Run a function for the caller of another gateway.")
                .scope(Scope.READ)
                .mayOnlyRead()
                .tenantsConfined()
                .takes(Schema.any().describe("the args of the function"))
                .runsFunction()
                .answers(Schema.any())
                .to(this::answer);
    }

    /** The answer is signed, whatever becomes of the call: without that, the gateway would not know whether the function ran. */
    private Answer answer(Call call) {
        Ticket ticket = Ticket.decode(call.header(Ticket.HEADER).orElse(""));
        byte[] body = Optional.ofNullable(call.body()).orElse("").getBytes(StandardCharsets.UTF_8);
        tickets.requireBody(ticket, call.path("function"), body);
        Answer answer = run(call, ticket);
        Object document = answer.document();
        byte[] bytes = (document instanceof String text ? text : Json.write(document)).getBytes(StandardCharsets.UTF_8);
        Map<String, String> headers = new LinkedHashMap<>(answer.headers());
        tickets.keyOf(call.header())
                .ifPresent(key -> headers.put(
                        Signatures.HEADER,
                        Signatures.ofAnswer(key, ticket.nonce(), answer.status(), answer.headers(), bytes)));
        return new Answer(answer.status(), bytes, Answer.JSON, headers);
    }

    private Answer run(Call call, Ticket ticket) {
        try {
            return FunctionRoutes.run(
                    call.muster(),
                    new FunctionCall(
                            ticket.function(),
                            ticket.hasArgs() ? call.body() : null,
                            call.caller(),
                            ticket.requestId(),
                            Optional.of(ticket.within())));
        } catch (RuntimeException | Error e) {
            return refused(failures.apply(e), ticket.requestId());
        }
    }

    private Answer refused(Refusal refusal, String requestId) {
        Map<String, String> headers = new LinkedHashMap<>(refusal.headers());
        Long wait = refusal.retryAfterSeconds();
        if (wait != null) {
            headers.put("Retry-After", String.valueOf(wait));
        }
        return new Answer(refusal.status(), envelope.apply(refusal, requestId), Answer.JSON, headers);
    }
}
