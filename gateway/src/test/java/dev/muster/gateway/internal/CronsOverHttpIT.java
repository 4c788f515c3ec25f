package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.JobRequest;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Crons;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@MusterTest
class CronsOverHttpIT {
    private static String spec(String expression) {
        return "{\"name\":\"nightly\",\"expression\":\"" + expression + "\",\"job\":\"report\"}";
    }

    @Test
    void aChangeThatSomebodyElseMadeMeanwhileIsNotOverwritten(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.ADMIN);
        assertThat(gateway.post("/_api/crons", spec("0 3 * * *")).status()).isEqualTo(201);
        String tag = gateway.get("/_api/crons/nightly").header("ETag");

        Response first = gateway.send("PUT", "/_api/crons/nightly", key, spec("0 4 * * *"), "If-Match", tag);
        Response second = gateway.send("PUT", "/_api/crons/nightly", key, spec("0 5 * * *"), "If-Match", tag);
        Response third = gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", tag);

        assertThat(first.status()).as(first.body()).isEqualTo(200);
        assertThat(second.status()).isEqualTo(412);
        assertThat(second.text("error", "code")).isEqualTo("precondition_failed");
        assertThat(third.status()).isEqualTo(412);
        assertThat(gateway.get("/_api/crons/nightly").text("expression")).isEqualTo("0 4 * * *");
        assertThat(gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", first.header("ETag"))
                        .status())
                .isEqualTo(204);
    }

    @Test
    void whateverShowsACronHasItsTagAndAnyOfSeveralTagsMayBeTheRightOne(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);
        String key = gateway.key(Scope.ADMIN);

        String tag = gateway.post("/_api/crons", spec("0 3 * * *")).header("ETag");

        assertThat(tag).matches("\"[^\"]+\"");
        assertThat(gateway.get("/_api/crons/nightly").header("ETag")).isEqualTo(tag);
        assertThat(gateway.get("/_api/crons/nightly/spec").header("ETag")).isEqualTo(tag);
        for (String other : List.of("\"older\"", "W/" + tag, "older", tag.replace("\"", ""))) {
            Response refused = gateway.send("PUT", "/_api/crons/nightly", key, spec("0 4 * * *"), "If-Match", other);
            assertThat(refused.status()).as(other).isEqualTo(412);
        }
        Response changed = gateway.send(
                "PUT", "/_api/crons/nightly", key, spec("0 4 * * *"), "If-Match", "\"older\",W/\"weak\" , " + tag);
        assertThat(changed.status()).as(changed.body()).isEqualTo(200);
        Response paused = gateway.post("/_api/crons/nightly/pause", null);
        assertThat(paused.header("ETag"))
                .isEqualTo(gateway.get("/_api/crons/nightly").header("ETag"));
        assertThat(gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", tag + ", *")
                        .status())
                .isEqualTo(412);
        assertThat(gateway.send("DELETE", "/_api/crons/nightly", key, null, "If-Match", "*")
                        .status())
                .isEqualTo(204);
    }

    @Test
    void theAuditNamesTheCronThatWasCreated(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);

        gateway.post("/_api/crons", spec("0 3 * * *"));

        assertThat(cluster.client().audit().list(AuditQuery.newest().target("nightly")))
                .extracting(AuditEntry::action)
                .containsExactly("crons.create");
    }

    /** A change of the cron {@code nightly}, which is paused if it is to be resumed. */
    private enum Change {
        CREATE("POST", "/_api/crons", true) {
            @Override
            boolean isDone(Optional<CronInfo> cron) {
                return cron.isPresent();
            }
        },
        UPDATE("PUT", "/_api/crons/nightly", true) {
            @Override
            boolean isDone(Optional<CronInfo> cron) {
                return cron.orElseThrow().definition().expression().equals("0 4 * * *");
            }
        },
        PAUSE("POST", "/_api/crons/nightly/pause", false) {
            @Override
            boolean isDone(Optional<CronInfo> cron) {
                return cron.orElseThrow().pausedAt().isPresent();
            }
        },
        RESUME("POST", "/_api/crons/nightly/resume", false) {
            @Override
            boolean isDone(Optional<CronInfo> cron) {
                return cron.orElseThrow().pausedAt().isEmpty();
            }
        };

        private final String method;
        private final String path;
        private final boolean hasBody;

        Change(String method, String path, boolean hasBody) {
            this.method = method;
            this.path = path;
            this.hasBody = hasBody;
        }

        abstract boolean isDone(Optional<CronInfo> cron);

        void prepare(Crons crons) {
            if (this != CREATE) {
                crons.create(CronSpec.of("nightly", "0 3 * * *", JobRequest.of("report")));
            }
            if (this == RESUME) {
                crons.pause("nightly");
            }
        }

        Response send(GatewayNode gateway, String key) {
            return gateway.exchange(method, path, key, hasBody ? spec("0 4 * * *") : null);
        }
    }

    /** Whoever were told of an error would repeat it. The database goes away after the first commit, the second, until one is that of the change. */
    @ParameterizedTest
    @EnumSource(Change.class)
    void aChangeHasSucceededAlsoIfTheCronCannotBeReadForTheAnswer(Change change, Cluster cluster) {
        cluster.client().migrate();
        Crons crons = cluster.client().crons();
        change.prepare(crons);
        String key = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("a", Scope.ADMIN))
                .key();
        BreakingDataSource source = new BreakingDataSource(cluster.database().dataSource());
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("node.roles", "gateway")
                .set("gateway.port", "0")
                .build()) {
            muster.start();
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            for (int commit = 1; !change.isDone(crons.find("nightly")); commit++) {
                source.breakAfter(commit);

                Response answer = change.send(gateway, key);

                assertThat(source.heal()).as(answer.body()).isTrue();
                if (change.isDone(crons.find("nightly"))) {
                    assertThat(answer.status()).as(answer.body()).isEqualTo(change == Change.CREATE ? 201 : 200);
                    assertThat(answer.at()).isEqualTo(Map.of("name", "nightly"));
                } else {
                    assertThat(answer.status()).as(answer.body()).isEqualTo(503);
                }
            }
        }
    }
}
