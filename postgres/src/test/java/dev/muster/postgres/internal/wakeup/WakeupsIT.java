package dev.muster.postgres.internal.wakeup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.provider.Store;
import dev.muster.job.Lane;
import dev.muster.postgres.PrimaryDataSource;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.jobs.PostgresDependencyStore;
import dev.muster.testing.Measured;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** What wake-ups really travel through the server: someone listens beside the nodes. */
class WakeupsIT {
    private static final Lane MAIL = new Lane("mail", "");
    private static final Lane FILES = new Lane("files", "gpu");

    private FreshDatabase database;
    private PostgresStore store;
    private ClusterCoordinator coordinator;
    private Connection listener;

    @BeforeEach
    void open() throws SQLException {
        database = new FreshDatabase();
        store = database.store();
        coordinator = store.coordinator();
        listener = database.connection();
        try (Statement statement = listener.createStatement()) {
            statement.execute("LISTEN " + PostgresCoordinator.channelOf("public"));
        }
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        listener.close();
        database.close();
    }

    @Test
    void aCrowdOfEnqueuesWakesAtMostOncePerLaneAndTwentyMilliseconds() throws Exception {
        long start = System.nanoTime();
        List<String> heard = new ArrayList<>();
        while (Collections.frequency(heard, "mail/") < 5 || Collections.frequency(heard, "files/gpu") < 5) {
            coordinator.notifyNewWork(Set.of(MAIL));
            coordinator.notifyNewWork(Set.of(FILES));
            heard.addAll(heard(0));
        }
        store.close();
        heard.addAll(heard(200));
        long windows = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 20 + 2;

        for (String lane : List.of("mail/", "files/gpu")) {
            assertThat(Collections.frequency(heard, lane)).isLessThanOrEqualTo((int) windows);
        }
    }

    @Test
    void queuesMayHaveAnyName() {
        Set<Lane> woken = ConcurrentHashMap.newKeySet();
        coordinator.registerWakeupListener(woken::addAll);
        store.connect(Store.Events.ignored());
        await().until(coordinator::isListening);
        Set<Lane> lanes = Set.of(new Lane("group:mail", ""), new Lane("waits-again:mail", ""), new Lane("nodes", ""));

        coordinator.notifyNewWork(lanes);

        await().until(() -> woken.containsAll(lanes));
    }

    @Test
    void aNotificationThatNobodyUnderstandsKeepsNoOtherOneBack() {
        Set<Lane> woken = ConcurrentHashMap.newKeySet();
        coordinator.registerWakeupListener(woken::addAll);
        store.connect(Store.Events.ignored());
        await().until(coordinator::isListening);

        database.execute("SELECT pg_notify('muster_public', '" + PostgresDependencyStore.WAITS_AGAIN
                + "nonsense'), pg_notify('muster_public', 'mail/')");

        await().until(() -> woken.contains(MAIL));
    }

    /** The first job is put into its group by a transaction after which nobody admits. */
    @Test
    void whoAdmitsAJobOfAnotherQueueTellsIt() throws Exception {
        try (Connection connection = database.transaction()) {
            store.jobs()
                    .enqueue(
                            connection,
                            List.of(JobDraft.named("a")
                                    .group("fifo/one")
                                    .lane("other", "")
                                    .job()));
            connection.commit();
        }
        List<String> all = new ArrayList<>();

        store.jobs()
                .enqueue(List.of(
                        JobDraft.named("a").group("fifo/one").lane("mail", "").job()));

        await().until(() -> {
            all.addAll(heard(100));
            return all.contains("other/");
        });
    }

    @Test
    void aLaneDoesNotWaitForAnother() throws Exception {
        coordinator.notifyNewWork(Set.of(MAIL));
        assertThat(heard(60_000)).containsExactly("mail/");
        coordinator.notifyNewWork(Set.of(FILES));
        assertThat(heard(60_000)).containsExactly("files/gpu");
    }

    @Test
    void whatComesTooSoonIsSentTogetherAfterwards() throws Exception {
        coordinator.notifyNewWork(Set.of(MAIL));
        assertThat(heard(60_000)).containsExactly("mail/");
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            coordinator.notifyNewWork(Set.of(MAIL));
        }
        long windows = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 20 + 2;
        List<String> heard = new ArrayList<>(heard(60_000));
        heard.addAll(heard(200));
        assertThat(heard).isNotEmpty().hasSizeLessThanOrEqualTo((int) windows).containsOnly("mail/");
    }

    @Test
    void aCallersSecondTransactionIsAnnouncedFromOutside() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Connection caller = database.transaction()) {
                coordinator.notifyNewWork(caller, Set.of(MAIL));
                caller.commit();
            }
        }
        // A listener that was held up hears both at once.
        List<String> heard = new ArrayList<>(heard(60_000));
        if (heard.size() == 1) {
            heard.addAll(heard(60_000));
        }
        assertThat(heard).containsExactly("mail/", "mail/");
        assertThat(heard(100)).isEmpty();
    }

    @Test
    void whatIsLeftLeavesWithTheStore() throws Exception {
        coordinator.notifyNewWork(Set.of(MAIL));
        assertThat(heard(60_000)).containsExactly("mail/");
        coordinator.notifyNewWork(Set.of(MAIL));
        store.close();
        assertThat(heard(60_000)).containsExactly("mail/");
    }

    @Test
    void whatIsDueLaterIsToldToTheOthersWhenItsNodeStops() throws Exception {
        coordinator.notifyNewWorkLater(MAIL, Duration.ofMinutes(5));
        assertThat(heard(100)).isEmpty();
        store.close();
        assertThat(heard(60_000)).containsExactly("mail/");
    }

    /** The lanes of the notifications that come first within this time. */
    private List<String> heard(int millis) throws SQLException {
        PGNotification[] notifications = listener.unwrap(PGConnection.class).getNotifications(Math.max(millis, 1));
        return Arrays.stream(notifications)
                .flatMap(n -> Arrays.stream(n.getParameter().split("\n")))
                .toList();
    }

    /** The driver waits a whole millisecond for a second notification, unless its socket answers at once: see PromptSocketFactory. */
    @Test
    void aNotificationIsHandedOverAtOnce() throws Exception {
        try (Connection prompt = new PrimaryDataSource(database.url()).getConnection();
                Statement statement = prompt.createStatement()) {
            statement.execute("LISTEN prompt");
            long quickest = Long.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                database.execute("NOTIFY prompt");
                long start = System.nanoTime();
                PGNotification[] received = prompt.unwrap(PGConnection.class).getNotifications(60_000);
                quickest = Math.min(quickest, System.nanoTime() - start);
                assertThat(received).hasSize(1);
            }
            Measured.within(Duration.ofMillis(1), Duration.ofNanos(quickest), "handing over a notification");
        }
    }
}
