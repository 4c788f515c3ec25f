package dev.muster.gateway.auth;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * For a gateway inside of another web server, which has found out itself who calls. It puts the caller into {@value #HEADER}, which no
 * request can have: a colon ends the name of a header. Requests without one need a key or a token, as elsewhere.
 */
public final class MountedAuthentication implements Authentication {
    /** Where the caller stands. */
    public static final String HEADER = "muster:caller";

    private final Authentication credentials;

    /** @param credentials for requests of callers that the other server does not know */
    public MountedAuthentication(Authentication credentials) {
        this.credentials = credentials;
    }

    @Override
    public Caller authenticate(UnaryOperator<@Nullable String> header, String address) {
        String caller = header.apply(HEADER);
        return caller == null ? credentials.authenticate(header, address) : read(caller, address);
    }

    /** The caller as one line for each of scope, tenant, roles, id and name. */
    public static String write(Caller caller) {
        return String.join(
                "\n",
                caller.scope().text(),
                line(caller.tenant().orElse("")),
                String.join(
                        "\t",
                        new TreeSet<>(caller.roles().stream()
                                .map(MountedAuthentication::line)
                                .toList())),
                line(caller.id()),
                line(caller.name()));
    }

    private static String line(String text) {
        return text.replaceAll("[\\n\\t]", " ");
    }

    private static Caller read(String text, String address) {
        List<String> lines = Arrays.asList(text.split("\n", -1));
        Set<String> roles =
                lines.get(2).isEmpty() ? Set.of() : Set.of(lines.get(2).split("\t"));
        Optional<String> tenant = Optional.of(lines.get(1)).filter(named -> !named.isEmpty());
        return new Caller(lines.get(3), lines.get(4), Scope.parse(lines.get(0)), roles, tenant, Optional.of(address));
    }
}
