package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.job.Job;
import java.util.List;
import javax.sql.DataSource;

/** Tasks that return a kilobyte each, and one that takes them all. */
public final class Gathering implements MusterApp {
    static final int CHARACTERS = 1_000;

    @Override
    public void register(MusterBuilder node, DataSource connections) {
        node.register(this);
    }

    @Job("part")
    String part(int number) {
        return ("part " + number + " ").repeat(CHARACTERS).substring(0, CHARACTERS);
    }

    @Job("gather")
    long gather(List<String> parts) {
        return parts.stream().mapToLong(String::length).sum();
    }
}
