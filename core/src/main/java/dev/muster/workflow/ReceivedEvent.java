package dev.muster.workflow;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An event that a workflow has waited for. */
public final class ReceivedEvent<E> {
    private final Optional<E> payload;

    public ReceivedEvent(@Nullable E payload) {
        this.payload = Optional.ofNullable(payload);
    }

    /** Empty if the event was sent without one. */
    public Optional<E> payload() {
        return payload;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ReceivedEvent<?> that && payload.equals(that.payload);
    }

    @Override
    public int hashCode() {
        return Objects.hash(payload);
    }

    @Override
    public String toString() {
        return "ReceivedEvent[payload=" + payload + "]";
    }
}
