package dev.muster.gateway.auth;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import dev.muster.runtime.NamePatterns;
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

    /** The caller as one line for each of scope, tenant, roles, names that it may start, id and name. */
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
                String.join("\t", caller.names().texts()),
                line(caller.id()),
                line(caller.name()));
    }

    private static String line(String text) {
        return text.replaceAll("[\\n\\t]", " ");
    }

    private static Caller read(String text, String address) {
        List<String> lines = Arrays.asList(text.split("\n", -1));
        Set<String> roles = Set.of(words(lines.get(2)));
        NamePatterns names = NamePatterns.of(words(lines.get(3)));
        Optional<String> tenant = Optional.of(lines.get(1)).filter(named -> !named.isEmpty());
        return new Caller(
                lines.get(4), lines.get(5), Scope.parse(lines.get(0)), roles, names, tenant, Optional.of(address));
    }

    private static String[] words(String line) {
        return line.isEmpty() ? new String[0] : line.split("\t");
    }
}
