package dev.muster.gateway.internal.auth;

import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.gateway.internal.route.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * With {@code gateway.auth = none}: every program on this machine may do everything. Web pages may not, although they can send requests to
 * loopback: neither those of another origin nor those of a name that was made to point to loopback. Nor may those for whom a proxy on this
 * machine sends requests, as far as the proxy says that it does.
 */
public final class LoopbackAuthentication implements Authentication {
    private static final Pattern LOCAL =
            Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);

    /** What proxies add: the programs behind them may be anywhere, although the proxy calls a name of this machine. */
    private static final List<String> OF_PROXIES =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

    private static final Caller CALLER = Caller.builder("loopback", "loopback", Scope.ADMIN)
            .auth(Auth.NONE)
            .address(Optional.of("127.0.0.1"))
            .build();

    @Override
    public Caller authenticate(UnaryOperator<@Nullable String> header, String address) {
        for (String name : OF_PROXIES) {
            if (header.apply(name) != null) {
                throw Refusal.forbidden("without authentication the gateway answers only programs on this machine, and "
                        + name + " says that this request came through a proxy: set gateway.auth = \"required\"");
            }
        }
        String host = header.apply("Host");
        if (host == null || !LOCAL.matcher(host).matches()) {
            throw Refusal.forbidden("without authentication the gateway answers only requests to localhost");
        }
        String origin = header.apply("Origin");
        if (origin != null
                && !origin.equalsIgnoreCase("http://" + host)
                && !origin.equalsIgnoreCase("https://" + host)) {
            throw Refusal.forbidden("without authentication the gateway answers no web page of another origin");
        }
        return CALLER;
    }
}
