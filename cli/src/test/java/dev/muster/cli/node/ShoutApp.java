package dev.muster.cli.node;

import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.job.Job;
import java.util.Locale;
import javax.sql.DataSource;

/** An application as users write one. */
public final class ShoutApp implements MusterApp {

    @Override
    public void register(Muster.Builder node, DataSource database) {
        node.register(new Handlers());
    }

    /** Its handlers. */
    public static final class Handlers {
        @Job("shout")
        String shout(String text) {
            return text.toUpperCase(Locale.ROOT);
        }
    }
}
