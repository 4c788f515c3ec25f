package dev.muster.gateway.internal.route;

/** Does what a route is for. */
@FunctionalInterface
public interface Handler {
    /** @throws Refusal if the request cannot be carried out; other exceptions are translated by {@link Failures} */
    Answer handle(Call call);
}
