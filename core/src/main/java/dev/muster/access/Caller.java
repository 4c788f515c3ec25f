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
