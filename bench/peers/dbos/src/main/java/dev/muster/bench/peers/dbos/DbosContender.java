package dev.muster.bench.peers.dbos;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.DBOSClient;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.migrations.MigrationManager;
import dev.dbos.transact.workflow.ListWorkflowsInput;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.WorkflowStatus;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.FiveSteps;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.bench.contender.Site;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.ds.PGSimpleDataSource;

/** DBOS Transact for Java. */
public final class DbosContender implements Contender {
    private static final int POOL = 24;

    @Override
    public String name() {
        return "dbos";
    }

    @Override
    public Kind kind() {
        return Kind.WORKFLOW_PEER;
    }

    @Override
    public String about() {
        return "DBOS Transact for Java " + DBOS.version() + ", a queue without limits, " + POOL
                + " connections, its default executor";
    }

    @Override
    public double share() {
        return 0.1;
    }

    @Override
    public Site open(String url) {
        return new DbosSite(url);
    }

    private static final class DbosSite implements Site {
        private static final Queue QUEUE = new Queue("runs");

        private final HikariDataSource pool;
        private final DBOSConfig config;
        private final DBOSClient client;

        DbosSite(String url) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(url);
            source.setReWriteBatchedInserts(true);
            HikariConfig connections = new HikariConfig();
            connections.setDataSource(source);
            connections.setMaximumPoolSize(POOL);
            connections.setPoolName("dbos");
            this.pool = new HikariDataSource(connections);
            this.config = DBOSConfig.defaults("bench").withDataSource(pool);
            MigrationManager.runMigrations(config);
            this.client = new DBOSClient(pool);
        }

        /** The client takes one run at a time. */
        @Override
        public void enqueue(int first, int count) {
            for (int i = first; i < first + count; i++) {
                client.enqueueWorkflow(
                        new DBOSClient.EnqueueOptions(
                                        AddingWorkflowSteps.NAME, AddingWorkflowSteps.class.getName(), QUEUE.name())
                                .withWorkflowId(Integer.toString(i)),
                        new Object[] {Payload.number(i)});
            }
        }

        @Override
        public Work start(Handled handled) {
            DBOS dbos = new DBOS(config);
            dbos.registerQueue(QUEUE);
            dbos.registerProxy(AddingWorkflow.class, new AddingWorkflowSteps(dbos, handled));
            dbos.launch();
            return new Work() {
                @Override
                public void pause() {
                    throw new UnsupportedOperationException("DBOS queues cannot be paused");
                }

                @Override
                public void resume() {
                    throw new UnsupportedOperationException("DBOS queues cannot be paused");
                }

                @Override
                public void close() {
                    dbos.shutdown();
                }
            };
        }

        @Override
        public long left() throws SQLException {
            return number("select count(*) from dbos.workflow_status where status <> 'SUCCESS'");
        }

        @Override
        public long wrong() throws SQLException {
            long runs = 0;
            long wrong = 0;
            for (WorkflowStatus run : client.listWorkflows(new ListWorkflowsInput().withLoadOutput(true))) {
                runs++;
                int expected = FiveSteps.result(Payload.number(Integer.parseInt(run.workflowId())));
                if (!Integer.valueOf(expected).equals(run.output())) {
                    wrong++;
                }
            }
            return wrong + Math.abs(FiveSteps.STEPS * runs - number("select count(*) from dbos.operation_outputs"));
        }

        private long number(String sql) throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                rows.next();
                return rows.getLong(1);
            }
        }

        @Override
        public void close() {
            client.close();
            pool.close();
        }
    }
}
