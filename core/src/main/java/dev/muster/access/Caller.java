package dev.muster.access;

import dev.muster.runtime.NamePatterns;
import java.util.Optional;
import java.util.Set;

/**
 * Who calls, and what they may do.
 *
 * @param id such as {@code key:7fQ2…} for an API key or {@code jwt:ada} for the subject of a token; unique, for limits and the audit
 * @param name for people: the name of the key
 * @param scope the highest scope that the caller has
 * @param roles the application's own roles, which functions may require. A caller with the scope admin passes without them
 * @param names what the caller may start by its name: jobs, functions, workflows, tasks of graphs and crons' jobs
 * @param tenant if present, the caller may use nothing that belongs to another tenant or to the cluster as a whole
 * @param address the network address that the call came from
 */
public record Caller(
        String id,
        String name,
        Scope scope,
        Set<String> roles,
        NamePatterns names,
        Optional<String> tenant,
        Optional<String> address) {
    private static final int LONGEST = 300;

    /** A caller who may start everything that the scope allows. */
    public Caller(
            String id, String name, Scope scope, Set<String> roles, Optional<String> tenant, Optional<String> address) {
        this(id, name, scope, roles, NamePatterns.ALL, tenant, address);
    }

    public Caller {
        roles = Set.copyOf(roles);
    }

    /** A part of the program itself, which may do everything. */
    public static Caller program(String name) {
        return new Caller("program:" + name, name, Scope.ADMIN, Set.of(), Optional.empty(), Optional.empty());
    }

    /** This caller, at the address that a request came from. */
    public Caller at(String newAddress) {
        return new Caller(id, name, scope, roles, names, tenant, Optional.of(newAddress));
    }

    /**
     * Why a gateway does not accept this caller, if another program has named it; empty if it does. The tenant has to be one that an API key
     * could have, and id and name have to be 1 to 300 printable characters.
     */
    public Optional<String> problem() {
        if (tenant.isPresent() && !KeyRequest.isTenant(tenant.get())) {
            return Optional.of(
                    "a tenant has 1 to 100 printable characters and neither begins nor ends with a blank; use"
                            + " Optional.empty() for callers that belong to none");
        }
        if (!isPrintable(id) || !isPrintable(name)) {
            return Optional.of("id and name of a caller have 1 to " + LONGEST + " printable characters");
        }
        return id.startsWith("key:") || id.startsWith("jwt:")
                ? Optional.of("ids that begin with key: or jwt: are those of API keys and tokens")
                : Optional.empty();
    }

    private static boolean isPrintable(String text) {
        return !text.isBlank() && text.length() <= LONGEST && KeyRequest.isPrintable(text);
    }

    public boolean may(Scope wanted) {
        return scope.includes(wanted);
    }

    /** Whether the caller may start something of this name, as far as names decide it. */
    public boolean mayStart(String wanted) {
        return names.allows(wanted);
    }

    /** Whether the caller has one of these roles, or none is asked for. */
    public boolean hasAny(Set<String> wanted) {
        return wanted.isEmpty() || may(Scope.ADMIN) || wanted.stream().anyMatch(roles::contains);
    }
}
