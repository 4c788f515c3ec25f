package dev.muster.gateway.internal;

import dev.muster.access.Caller;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Tenants;
import java.util.function.BooleanSupplier;

/**
 * Whether a caller who is known may use a route: its scope, its tenant, and whether this node changes anything at all. What a route needs is said
 * where it is defined: {@link Route#scope}.
 */
final class Authorisation {
    private final BooleanSupplier observer;

    /** @param observer whether this node only reads */
    Authorisation(BooleanSupplier observer) {
        this.observer = observer;
    }

    /** @throws Refusal if the caller may not */
    void require(Route route, Caller caller) {
        route.scope().ifPresent(needed -> {
            if (!caller.may(needed)) {
                throw Refusal.forbidden("this needs the scope " + needed.text() + "; you have "
                        + caller.scope().text());
            }
        });
        if (caller.tenant().isPresent() && route.tenants() == Tenants.REFUSED) {
            throw Refusal.forbidden("this is about the cluster as a whole; you belong to the tenant "
                    + caller.tenant().get());
        }
        if (route.writes() && observer.getAsBoolean()) {
            throw Refusal.of(
                    403, "observer", "this node is an observer: it only reads; send changes to another gateway");
        }
    }
}
