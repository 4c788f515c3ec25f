package dev.muster.chaos;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.examples.Counts;
import dev.muster.examples.Greetings;
import dev.muster.examples.Misbehaving;
import javax.sql.DataSource;

/** The jobs of the examples without their cron and their daemon: nothing happens that no test has asked for. */
public final class Work implements MusterApp {

    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(new Greetings());
        node.register(new Counts(database));
        node.register(new Misbehaving());
    }
}
