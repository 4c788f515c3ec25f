package dev.muster.postgres.internal.claims;

import java.util.List;

/**
 * What a count of a limited queue has seen of the queue's notes: below {@code upTo} only the notes in {@code held} name jobs that are
 * held. Numbers are drawn under the lock of the queue, so no note with a lower number comes later, and a note never names a job that
 * is claimed again: that has a new note.
 *
 * @param walTimeline the timeline on which this was seen; on another one numbers may repeat, and nothing is known
 */
record NotesSeen(long walTimeline, long upTo, List<Long> held) {
    static final NotesSeen NONE = new NotesSeen(-1, 0, List.of());

    /** The one of two that leaves less to walk. Each is true; of two timelines the one that was learned now counts. */
    static NotesSeen later(NotesSeen before, NotesSeen now) {
        return before.walTimeline == now.walTimeline && before.upTo > now.upTo ? before : now;
    }
}
