package dev.muster.migrating;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What the jobs of a test did, whichever library ran them. */
public final class Effects {
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    public void add(String effect) {
        seen.add(effect);
    }

    public List<String> all() {
        return List.copyOf(seen);
    }

    public List<String> startingWith(String prefix) {
        return seen.stream().filter(effect -> effect.startsWith(prefix)).toList();
    }
}
