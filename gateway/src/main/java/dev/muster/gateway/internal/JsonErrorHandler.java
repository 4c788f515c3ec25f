package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.ee10.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests that the HTTP server itself refuses, such as one with a malformed header, with the same envelope. */
final class JsonErrorHandler extends ErrorHandler {
    /** The attribute of requests that have reached a route: what fails then may have been executed. */
    static final String BEGUN = "dev.muster.begun";

    private static final Logger log = LoggerFactory.getLogger(JsonErrorHandler.class);

    private final Errors errors;

    JsonErrorHandler(Errors errors) {
        this.errors = errors;
    }

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int code,
            String message,
            @Nullable Throwable cause,
            Callback callback) {
        errors.write(request, response, code, cause, callback);
    }

    /** The same for errors that arise within the servlet context. */
    static final class InContext extends ErrorPageErrorHandler {
        private final Errors errors;

        InContext(Errors errors) {
            this.errors = errors;
        }

        @Override
        public boolean errorPageForMethod(String method) {
            return true;
        }

        @Override
        protected void generateResponse(
                Request request,
                Response response,
                int code,
                String message,
                @Nullable Throwable cause,
                Callback callback) {
            errors.write(request, response, code, cause, callback);
        }
    }

    /**
     * What is answered.
     *
     * @param draining whether no request is admitted any more
     */
    record Errors(BooleanSupplier draining) {
        private void write(Request request, Response response, int code, @Nullable Throwable cause, Callback callback) {
            String requestId = RequestId.of(request.getHeaders().get(RequestId.HEADER));
            boolean unread = request.getAttribute(BEGUN) == null;
            Refusal refusal =
                    code >= 500 && unread && draining.getAsBoolean() ? RequestCapacity.draining() : refusal(code);
            if (refusal.status() == 500) {
                log.error("a request failed outside of its route, request_id={}", requestId, cause);
            }
            refusal.headers().forEach(response.getHeaders()::put);
            response.setStatus(refusal.status());
            response.getHeaders().put(RequestId.HEADER, requestId);
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
            response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
            byte[] body = Envelope.of(refusal, requestId).getBytes(StandardCharsets.UTF_8);
            Connections.refusing(request, body.length);
            response.write(true, ByteBuffer.wrap(body), callback);
        }

        private static Refusal refusal(int code) {
            return switch (code) {
                case 404 -> Refusal.notFound("there is no such path; GET /_api/openapi.json lists all");
                case 408 -> Refusal.of(408, "too_slow", "the request did not arrive in time");
                case 413 -> Refusal.of(413, "too_large", "the body is too large");
                case 414 -> Refusal.of(414, "too_large", "the path is too long");
                case 417 -> Refusal.of(417, "invalid_request", "Expect: only 100-continue is understood");
                case 426 -> Refusal.of(426, "invalid_request", "this port speaks HTTP/1.1 and nothing else");
                case 431 -> Refusal.of(431, "too_large", "the headers are too large");
                case 501 ->
                    Refusal.of(
                            501,
                            "invalid_request",
                            "the request asks for something that HTTP/1.1 knows and this port does not");
                case 505 ->
                    Refusal.of(
                            505,
                            "invalid_request",
                            "this port speaks HTTP/1.1 and HTTP/1.0; the request has another version, or none");
                case 503 -> Refusal.unavailable("busy", "this node cannot serve now");
                default ->
                    code >= 500
                            ? Refusal.of(500, "internal", "the request failed")
                            : Refusal.of(code, "invalid_request", "the request was not understood");
            };
        }
    }
}
