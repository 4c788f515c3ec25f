package dev.muster.cli.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.node.NodeContext;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ApiKeysIT extends OnTestDatabase {
    private boolean works(String key) {
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .build()) {
            return AccessSubsystem.verifier(muster.api(NodeContext.class))
                    .verify(key)
                    .isPresent();
        }
    }

    @Test
    void aKeyIsCreatedListedAndRevoked() {
        assertThat(Cli.on(database, "keys", "list").done().out().strip()).isEqualTo("no keys");

        JsonNode created = asJson(
                "keys",
                "create",
                "--name",
                "billing",
                "--scope",
                "write",
                "--role",
                "clerk",
                "--role",
                "auditor",
                "--names",
                "mail_*,report",
                "--tenant",
                "acme",
                "--expires",
                "90d");

        assertThat(created.propertyNames())
                .containsExactly(
                        "id",
                        "key",
                        "name",
                        "scope",
                        "roles",
                        "names",
                        "tenant",
                        "status",
                        "created_at",
                        "expires_at",
                        "revoked_at",
                        "last_used_at",
                        "replaced_by");
        String id = created.get("id").asString();
        String key = created.get("key").asString();
        assertThat(key).startsWith("mk_" + id + "_");
        assertThat(works(key)).isTrue();
        JsonNode listed = asJson("keys", "list").get(0);
        assertThat(listed.has("key")).isFalse();
        assertThat(listed.get("name").asString()).isEqualTo("billing");
        assertThat(listed.get("scope").asString()).isEqualTo("write");
        assertThat(listed.get("roles").get(0).asString()).isEqualTo("auditor");
        assertThat(listed.get("names").get(0).asString()).isEqualTo("mail_*");
        assertThat(listed.get("names").get(1).asString()).isEqualTo("report");
        assertThat(listed.get("tenant").asString()).isEqualTo("acme");
        assertThat(Cli.on(database, "keys", "list").done().out())
                .contains("key " + id + " starts only: mail_*, report");
        assertThat(listed.get("status").asString()).isEqualTo("live");
        assertThat(listed.get("expires_at").asString()).endsWith("Z");

        assertThat(Cli.on(database, "keys", "revoke", id).done().out()).contains("revoked key " + id);

        assertThat(works(key)).isFalse();
        assertThat(asJson("keys", "list").get(0).get("status").asString()).isEqualTo("revoked");
        assertThat(Cli.on(database, "keys", "revoke", id)
                        .failed(ExitCode.FAILED)
                        .err())
                .contains("key " + id + " was revoked before");
        assertThat(Cli.on(database, "keys", "rotate", id)
                        .failed(ExitCode.FAILED)
                        .err())
                .contains("it was revoked; create a new key");
    }

    @Test
    void aKeyIsShownOnceAndAlone() {
        Cli.Result created = Cli.on(database, "keys", "create", "--name", "a b", "--scope", "read")
                .done();

        assertThat(created.out().strip()).matches("mk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}");
        assertThat(created.err()).contains("'a b' with scope read, which never expires", "shown only once");
        assertThat(database.column("SELECT k::text FROM muster_api_keys k"))
                .singleElement()
                .asString()
                .doesNotContain(created.out().strip().substring(16));
    }

    @Test
    void aKeyIsRotated() {
        JsonNode old = asJson("keys", "create", "--name", "billing", "--scope", "admin");
        String id = old.get("id").asString();

        JsonNode successor = asJson("keys", "rotate", id);

        assertThat(successor.get("name").asString()).isEqualTo("billing");
        assertThat(works(old.get("key").asString())).isTrue();
        assertThat(works(successor.get("key").asString())).isTrue();
        assertThat(asJson("keys", "list")).hasSize(2);
        assertThat(Cli.on(database, "keys", "rotate", id)
                        .failed(ExitCode.FAILED)
                        .err())
                .contains("it has a successor already");
        Cli.Result last = Cli.on(database, "keys", "rotate", successor.get("id").asString(), "--overlap", "0s")
                .done();
        assertThat(last.err()).contains("shown only once", successor.get("id").asString() + " has ended");
        assertThat(works(successor.get("key").asString())).isFalse();
        assertThat(works(last.out().strip())).isTrue();
    }

    @Test
    void theTableFitsTheScreen() {
        String name = "a very long name of a key that somebody has made up";
        Cli.on(database, "keys", "create", "--name", name, "--scope", "admin", "--tenant", name, "--expires", "3650d")
                .done();
        database.execute("UPDATE muster_api_keys SET last_used_at = now() - interval '3000 days'");

        String table = Cli.on(database, "keys", "list").done().out();

        assertThat(table).contains("ID", "NAME", "SCOPE", "TENANT", "EXPIRES", "LAST USED", "STATUS", "live");
        assertThat(table.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void changesAreInTheAudit() {
        assertThat(Cli.on(database, "audit", "list").done().out().strip()).isEqualTo("no entries");
        String id = asJson("keys", "create", "--name", "billing", "--scope", "read")
                .get("id")
                .asString();
        asJson("keys", "rotate", id, "--overlap", "2d");
        asJson("keys", "revoke", id);

        JsonNode entries = asJson("audit", "list");

        assertThat(entries).hasSize(3);
        assertThat(entries.get(2).propertyNames())
                .containsExactly(
                        "id",
                        "at",
                        "caller",
                        "caller_name",
                        "address",
                        "tenant",
                        "action",
                        "target",
                        "request_id",
                        "node",
                        "outcome",
                        "details");
        assertThat(entries.get(0).get("action").asString()).isEqualTo("keys.revoke");
        assertThat(entries.get(1).get("details").get("overlap_ms").asLong()).isEqualTo(172_800_000);
        assertThat(entries.get(2).get("outcome").asString()).isEqualTo("done");
        assertThat(entries)
                .allSatisfy(entry -> assertThat(entry.get("caller").asString())
                        .startsWith("cli:" + System.getProperty("user.name") + "@"));
        assertThat(entries.get(2).get("target").asString()).isEqualTo(id);
        assertThat(asJson("audit", "list", "--action", "keys.rotate")).hasSize(1);
        assertThat(asJson("audit", "list", "--target", id)).hasSize(3);
        assertThat(asJson(
                        "audit",
                        "list",
                        "--caller",
                        entries.get(0).get("caller").asString()))
                .hasSize(3);
        Cli.Result page = Cli.on(database, "audit", "list", "--limit", "2").done();
        assertThat(page.out()).contains("ID", "WHEN", "CALLER", "ACTION", "TARGET", "OUTCOME", "keys.revoke", "done");
        String last = entries.get(1).get("id").asString();
        assertThat(page.err()).contains("next page: --before " + last);
        assertThat(asJson("audit", "list", "--before", last)).hasSize(1);
    }

    @Test
    void whatOperatorsDoIsInTheAuditToo() {
        Cli.on(database, "queues", "pause", "mail").done();
        Cli.on(database, "queues", "limit", "mail", "--max", "3").done();
        Cli.on(database, "cluster", "drain", "nobody").failed(ExitCode.FAILED, "no live node");
        Cli.on(database, "jobs", "cancel", "--all", "--name", "a", "--queue", "mail")
                .done();

        JsonNode entries = asJson("audit");

        assertThat(entries)
                .extracting(
                        entry -> entry.get("action").asString(),
                        entry -> entry.get("target").asString(),
                        entry -> entry.get("details").toString())
                .containsExactly(
                        tuple("jobs.cancel_all", "", "{\"name\":\"a\",\"queue\":\"mail\"}"),
                        tuple("nodes.drain", "nobody", "{}"),
                        tuple("queues.limit", "mail", "{\"max_running\":3,\"rate\":null,\"burst\":null}"),
                        tuple("queues.pause", "mail", "{}"));
        assertThat(entries.get(1).get("outcome").asString()).startsWith("refused: there is no live node 'nobody'");
        assertThat(entries.get(3).get("outcome").asString()).isEqualTo("done");
        assertThat(entries.get(3).get("caller").asString()).startsWith("cli:" + System.getProperty("user.name") + "@");
        assertThat(Cli.on(database, "audit", "--action", "queues.pause", "--limit", "5")
                        .done()
                        .out())
                .as("the group does what its only command does")
                .contains("queues.pause")
                .doesNotContain("nodes.drain");
    }

    @Test
    void detailsThatAreNoJsonAreShownAsTheyAre() {
        asJson("keys", "create", "--name", "billing", "--scope", "read");
        database.execute("UPDATE muster_audit SET details = '{oops'");

        assertThat(asJson("audit", "list").get(0).get("details").asString()).isEqualTo("{oops");
    }

    @Test
    void saysWhatIsWrong() {
        Cli.on(database, "keys", "create", "--name", "x").failed(ExitCode.USAGE, "--scope");
        Cli.on(database, "keys", "create", "--name", "x", "--scope", "root")
                .failed(ExitCode.USAGE, "'root' is no scope; there are read, write, admin");
        Cli.on(database, "keys", "create", "--name", " ", "--scope", "read")
                .failed(ExitCode.USAGE, "1 to 100 printable characters");
        Cli.on(database, "keys", "create", "--name", "x", "--scope", "read", "--role", "A B")
                .failed(ExitCode.USAGE, "role 'A B'");
        Cli.on(database, "keys", "create", "--name", "x", "--scope", "read", "--expires", "0s")
                .failed(ExitCode.USAGE, "1s to 3650d");
        Cli.on(database, "keys", "rotate", "abcdefghijkl", "--overlap", "5000d").failed(ExitCode.USAGE, "0s to 3650d");
        Cli.on(database, "keys", "rotate", "abcdefghijkl").failed(ExitCode.FAILED, "there is no such key");
        Cli.on(database, "keys", "revoke", "abcdefghijkl").failed(ExitCode.FAILED, "there is no key abcdefghijkl");
        Cli.on(database, "keys", "revoke", "Abc").failed(ExitCode.USAGE, "12 characters of a-z and 0-9");
        Cli.on(database, "audit", "list", "--limit", "0").failed(ExitCode.USAGE, "--limit must be 1 to 1000, not 0");
        Cli.on(database, "audit", "list", "--before", "x").failed(ExitCode.USAGE, "--before");
    }

    @Test
    void aKeyGivenByMistakeIsNotRepeated() {
        String key = asJson("keys", "create", "--name", "billing", "--scope", "read")
                .get("key")
                .asString();

        assertThat(Cli.on(database, "keys", "revoke", key)
                        .failed(ExitCode.USAGE)
                        .err())
                .contains("give the id alone")
                .doesNotContain(key.substring(16));
    }
}
