package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;

class BacklogIT {
    /** All columns as JSON, without what differs between any two jobs. */
    private static final String SHAPES = """
            select count(distinct to_jsonb(j)
              - '{id,run_at,ready_at,created_at,args,priority,rank}'::text[]
              || jsonb_build_object('keys', (select array_agg(k order by k) from jsonb_object_keys(args) k),
                   'times', run_at = created_at and ready_at - run_at between '0 s' and '1 h', 'ranked', rank = priority))
            from muster_jobs j""";

    @Test
    void an_inserted_job_has_the_shape_of_an_enqueued_one() throws Exception {
        try (Scratch database = new Scratch(EmbeddedPostgres.shared());
                Muster client = Muster.builder()
                        .config(MusterConfig.defaults())
                        .database(database.url())
                        .build();
                Connection connection = DriverManager.getConnection(database.url())) {
            client.migrate();
            BacklogScenario.fill(connection, 10);
            assertThat(Scratch.number(connection, "select count(*) from muster_jobs where ready_at <= now()"))
                    .isEqualTo(10);

            client.jobs().enqueueAll(MusterContender.requests(0, 10));

            assertThat(Scratch.number(connection, "select count(*) from muster_jobs"))
                    .isEqualTo(20);
            assertThat(Scratch.number(connection, SHAPES)).isEqualTo(1);
        }
    }
}
