package dev.muster.gateway;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;

/**
 * Says who sends a request to a {@link GatewayServlet}, by what the web server around it knows. Ids that begin with {@code key:} or {@code jwt:}
 * are those of API keys and tokens. A caller that has a {@linkplain Caller#problem() problem}, such as a tenant that is empty, is refused:
 * ignoring the tenant would open the whole cluster.
 */
@FunctionalInterface
public interface GatewayCallers {

    /** Empty if the server does not know the caller, who then needs an API key or a token. */
    Optional<Caller> callerOf(HttpServletRequest request);

    /**
     * Users with the roles {@code MUSTER_ADMIN}, {@code MUSTER_WRITE} and {@code MUSTER_READ} of the web server have the scope of that
     * name.
     */
    static GatewayCallers byRole() {
        return request -> {
            for (Scope scope : new Scope[] {Scope.ADMIN, Scope.WRITE, Scope.READ}) {
                Principal user = request.getUserPrincipal();
                if (user != null && request.isUserInRole("MUSTER_" + scope.name())) {
                    return Optional.of(Caller.builder("user:" + user.getName(), user.getName(), scope)
                            .build());
                }
            }
            return Optional.empty();
        };
    }
}
