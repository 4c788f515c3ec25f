package dev.muster.examples;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import javax.sql.DataSource;

/** The example application. */
public final class ExampleApp implements MusterApp {

    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(new Greetings());
        node.register(new Orders());
        node.register(new OrderDesk());
        node.register(new Catalog());
        node.register(new Counts(database));
        node.register(new Checkout(database));
        node.register(new Prices());
        node.register(new Misbehaving());
    }
}
