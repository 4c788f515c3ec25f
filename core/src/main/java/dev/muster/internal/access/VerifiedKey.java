package dev.muster.internal.access;

import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.runtime.NamePatterns;
import java.util.Optional;
import java.util.Set;

/**
 * A live key that a caller has shown to have.
 *
 * @param names what the key may start by its name
 * @param tenant whose things alone the key may use; empty: those of all
 */
public record VerifiedKey(
        String id, String name, Scope scope, Set<String> roles, NamePatterns names, Optional<String> tenant) {

    public VerifiedKey {
        roles = Set.copyOf(roles);
    }

    /**
     * The caller who has the key.
     *
     * @param address the network address that the call came from
     */
    public Caller caller(Optional<String> address) {
        return Caller.builder("key:" + id, name, scope)
                .auth(Auth.KEY)
                .roles(roles)
                .names(names)
                .tenant(tenant)
                .address(address)
                .build();
    }
}
