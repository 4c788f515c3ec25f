package dev.muster.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An immutable FIFO queue. Its front is stored in order and its back in reverse, so that both ends are cheap. */
final class ImmutableQueue<E> {
    private record Link<E>(E element, @Nullable Link<E> next) {}

    private static final ImmutableQueue<?> EMPTY = new ImmutableQueue<>(null, null, 0);

    /** Null only if the queue is empty. */
    private final @Nullable Link<E> front;

    private final @Nullable Link<E> back;
    private final int size;

    private ImmutableQueue(@Nullable Link<E> front, @Nullable Link<E> back, int size) {
        this.front = front;
        this.back = back;
        this.size = size;
    }

    @SuppressWarnings("unchecked")
    static <E> ImmutableQueue<E> empty() {
        return (ImmutableQueue<E>) EMPTY;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Null if the queue is empty. */
    @Nullable
    E first() {
        return front == null ? null : front.element;
    }

    /** All but the first. */
    ImmutableQueue<E> rest() {
        if (size <= 1) {
            return empty();
        }
        return front.next != null
                ? new ImmutableQueue<>(front.next, back, size - 1)
                : new ImmutableQueue<>(reversed(back), null, size - 1);
    }

    List<E> first(int count) {
        return count == 0 ? List.of() : toList().subList(0, count);
    }

    ImmutableQueue<E> skip(int count) {
        ImmutableQueue<E> left = this;
        for (int i = 0; i < count; i++) {
            left = left.rest();
        }
        return left;
    }

    ImmutableQueue<E> with(E element) {
        return front == null
                ? new ImmutableQueue<>(new Link<>(element, null), null, 1)
                : new ImmutableQueue<>(front, new Link<>(element, back), size + 1);
    }

    ImmutableQueue<E> withAll(Collection<E> elements) {
        if (elements.isEmpty()) {
            return this;
        }
        Link<E> newBack = back;
        for (E element : elements) {
            newBack = new Link<>(element, newBack);
        }
        int newSize = size + elements.size();
        return front == null
                ? new ImmutableQueue<>(reversed(newBack), null, newSize)
                : new ImmutableQueue<>(front, newBack, newSize);
    }

    /** Returns this queue itself if no element matches. */
    ImmutableQueue<E> without(Predicate<E> unwanted) {
        List<E> kept = toList();
        return kept.removeIf(unwanted) ? ImmutableQueue.<E>empty().withAll(kept) : this;
    }

    List<E> toList() {
        List<E> all = new ArrayList<>(size);
        for (Link<E> link = front; link != null; link = link.next) {
            all.add(link.element);
        }
        for (Link<E> link = reversed(back); link != null; link = link.next) {
            all.add(link.element);
        }
        return all;
    }

    private static <E> @Nullable Link<E> reversed(@Nullable Link<E> links) {
        Link<E> reversed = null;
        for (Link<E> link = links; link != null; link = link.next) {
            reversed = new Link<>(link.element, reversed);
        }
        return reversed;
    }
}
