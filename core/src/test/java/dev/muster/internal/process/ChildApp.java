package dev.muster.internal.process;

import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.job.Job;
import dev.muster.job.JobHandler;
import java.sql.SQLException;
import javax.sql.DataSource;

/** An application whose handlers only it can set up. */
public final class ChildApp implements MusterApp {
    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(new Greeter("moin", database));
        node.register(JobHandler.named("lambda").handle((context, args) -> "of a lambda"));
    }

    /** Has no constructor that a child process could call. */
    static final class Greeter {
        private final String greeting;
        private final DataSource database;

        Greeter(String greeting, DataSource database) {
            this.greeting = greeting;
            this.database = database;
        }

        @Job("greet_by_app")
        String greet() {
            return greeting;
        }

        @Job("connect")
        void connect() throws SQLException {
            database.getConnection().close();
        }
    }
}
