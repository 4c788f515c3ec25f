package dev.muster.bench.contender;

import java.io.Serializable;

/** The arguments of every job, about 90 bytes as JSON. */
public record Payload(int order, String email, String kind, String note) implements Serializable {
    private static final long serialVersionUID = 1L;

    public static Payload number(int i) {
        return new Payload(100_000 + i, "user" + i % 1_000 + "@example.com", "confirmation", "abcdefghij");
    }
}
