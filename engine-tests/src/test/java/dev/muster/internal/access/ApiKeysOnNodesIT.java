package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.access.ApiKeyInfo;
import dev.muster.access.ApiKeyInfo.Status;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * API keys on nodes that run. The nodes' own clock stands still where a test has to show that something is not a matter of five seconds.
 */
class ApiKeysOnNodesIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final KeyRequest REQUEST = KeyRequest.of("billing", Scope.WRITE);

    private final List<Muster> nodes = new ArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void openDatabase() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void closeAll() {
        nodes.forEach(Muster::close);
        database.close();
    }

    private Muster node(MusterBuilder builder) {
        Muster node = builder.dataSource(database.dataSource()).build();
        nodes.add(node);
        return node;
    }

    private static MusterBuilder builder() {
        return Muster.builder().config(MusterConfig.defaults());
    }

    /** Remembers what it was told forever, unless it is told that a key has changed. */
    private ApiKeyVerifier thatNeverForgetsByItself(Muster node) {
        ApiKeyVerifier verifier =
                new ApiKeyVerifier(node.api(NodeContext.class).port(ApiKeyStore.class), id -> {}, new FakeClock());
        node.api(NodeContext.class).coordinator().registerChangeListener(AccessSubsystem.KEYS, verifier::forget);
        return verifier;
    }

    @Test
    void everyNodeHearsOfChangesAtOnce() {
        Muster operator = node(builder());
        Muster gateway = node(builder());
        gateway.start();
        ApiKeyVerifier verifier = thatNeverForgetsByItself(gateway);

        CreatedKey created = operator.apiKeys().create(REQUEST);
        await().atMost(SOON).until(() -> verifier.verify(created.key()).isPresent());

        assertThat(operator.apiKeys().revoke(created.info().id())).isTrue();
        await().atMost(SOON).until(() -> verifier.verify(created.key()).isEmpty());
    }

    @Test
    void aRotationWithoutOverlapReachesEveryNode() {
        Muster operator = node(builder());
        Muster gateway = node(builder());
        gateway.start();
        ApiKeyVerifier verifier = thatNeverForgetsByItself(gateway);
        CreatedKey old = operator.apiKeys().create(REQUEST);
        await().atMost(SOON).until(() -> verifier.verify(old.key()).isPresent());

        CreatedKey successor = operator.apiKeys().rotate(old.info().id(), Duration.ZERO);

        await().atMost(SOON).until(() -> verifier.verify(old.key()).isEmpty());
        assertThat(verifier.verify(successor.key())).isPresent();
    }

    /** A node that is built and not started hears nothing, but knows what it has done itself. */
    @Test
    void aNodeBelievesItsOwnChanges() {
        Muster program = node(builder().clock(new FakeClock()));
        ApiKeyVerifier verifier = AccessSubsystem.verifier(program.api(NodeContext.class));
        CreatedKey created = program.apiKeys().create(REQUEST);
        assertThat(verifier.verify(created.key())).isPresent();

        program.apiKeys().revoke(created.info().id());

        assertThat(verifier.verify(created.key())).isEmpty();
    }

    @Test
    void theLastUseIsWritten() {
        Muster program = node(builder());
        CreatedKey created = program.apiKeys().create(REQUEST);
        String id = created.info().id();
        AccessSubsystem.verifier(program.api(NodeContext.class)).verify(created.key());

        await().atMost(SOON)
                .until(() ->
                        program.apiKeys().find(id).orElseThrow().lastUsedAt().isPresent());
    }

    @Test
    void anObserverVerifiesKeysAndWritesNothing() {
        Muster program = node(builder());
        CreatedKey created = program.apiKeys().create(REQUEST);
        Muster observer = node(Muster.builder().config(MusterConfig.defaults().with("node.mode", "observer")));
        String row = "SELECT ctid || ' ' || xmin || ' ' || xmax FROM muster_api_keys";
        List<String> before = database.column(row);

        assertThat(AccessSubsystem.verifier(observer.api(NodeContext.class)).verify(created.key()))
                .isPresent();

        assertThat(observer.apiKeys().list()).hasSize(1);
        assertThat(observer.audit().list(AuditQuery.newest())).hasSize(1);
        assertThatThrownBy(() -> observer.apiKeys().revoke(created.info().id())).isInstanceOf(ObserverRefusal.class);
        // A use by the other node is written later than the observer's would have been, if it wrote one.
        CreatedKey other = program.apiKeys().create(REQUEST);
        AccessSubsystem.verifier(program.api(NodeContext.class)).verify(other.key());
        await().atMost(SOON)
                .until(() -> program.apiKeys()
                        .find(other.info().id())
                        .orElseThrow()
                        .lastUsedAt()
                        .isPresent());
        assertThat(database.column(row)).containsAll(before);
    }

    @Test
    void theAuditNamesTheCaller() {
        Muster program = node(builder().set("node.id", "node-1"));
        Caller ada = Caller.builder("jwt:ada", "Ada", Scope.ADMIN)
                .auth(Auth.TOKEN)
                .address(Optional.of("10.0.0.7"))
                .build();
        CreatedKey created = program.apiKeys().create(REQUEST);

        program.apiKeys().as(ada, "req-1").revoke(created.info().id());

        List<AuditEntry> audit = program.audit().list(AuditQuery.newest());
        assertThat(audit).extracting(AuditEntry::action).containsExactly("keys.revoke", "keys.create");
        assertThat(audit.get(0)).satisfies(entry -> {
            assertThat(entry.caller()).isEqualTo("jwt:ada");
            assertThat(entry.callerName()).isEqualTo("Ada");
            assertThat(entry.address()).contains("10.0.0.7");
            assertThat(entry.requestId()).contains("req-1");
            assertThat(entry.node()).isEqualTo("node-1");
            assertThat(entry.outcome()).contains(AuditStore.DONE);
        });
        assertThat(audit.get(1).caller()).isEqualTo("program:node-1");
        assertThat(audit.get(1).details()).contains("billing", "write");
    }

    @Test
    void theLeaderRemovesWhatIsOlderThanItsRetention() {
        Muster node = node(Muster.builder().config(MusterConfig.defaults().with("history.audit_retain", "30d")));
        String revoked = node.apiKeys().create(REQUEST).info().id();
        String live = node.apiKeys().create(REQUEST).info().id();
        node.apiKeys().revoke(revoked);
        database.execute("UPDATE muster_audit SET at = at - interval '31 days'");
        database.execute("UPDATE muster_api_keys SET revoked_at = revoked_at - interval '31 days'");
        String young = node.apiKeys().create(REQUEST).info().id();
        node.apiKeys().revoke(young);

        node.start();

        await().atMost(SOON).until(() -> node.apiKeys().find(revoked).isEmpty());
        assertThat(node.audit().list(AuditQuery.newest()))
                .extracting(AuditEntry::target)
                .containsOnly(young);
        assertThat(node.apiKeys().list())
                .extracting(ApiKeyInfo::id, ApiKeyInfo::status)
                .containsExactly(tuple(live, Status.LIVE), tuple(young, Status.REVOKED));
    }

    @Test
    void theDatabasesTimeIsAskedForOnce() {
        FakeClock clock = new FakeClock();
        Muster program = node(builder().clock(clock));
        DatabaseClock time = AccessSubsystem.databaseClock(program.api(NodeContext.class));
        Instant first = time.now();

        clock.advance(Duration.ofSeconds(59));

        assertThat(time.now()).as("it was not asked again").isEqualTo(first.plusSeconds(59));
        clock.advance(Duration.ofSeconds(1));
        assertThat(time.now()).as("now it was").isBefore(first.plusSeconds(59));
    }

    @Test
    void withoutTheDatabaseNothingIsSaidAboutAKey() throws IOException {
        Muster program = node(builder());
        String key = program.apiKeys().create(REQUEST).key();
        // A port at which nobody listens, and that nobody else can have.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            PGSimpleDataSource nobody = new PGSimpleDataSource();
            nobody.setUrl("jdbc:postgresql://127.0.0.1:" + bound.getLocalPort() + "/app?user=postgres");
            Muster elsewhere = builder().dataSource(nobody).build();
            nodes.add(elsewhere);

            assertThatThrownBy(() -> AccessSubsystem.verifier(elsewhere.api(NodeContext.class))
                            .verify(key))
                    .isInstanceOf(DatabaseUnavailable.class);
            assertThatThrownBy(() -> AccessSubsystem.databaseClock(elsewhere.api(NodeContext.class))
                            .now())
                    .isInstanceOf(DatabaseUnavailable.class);
        }
    }
}
