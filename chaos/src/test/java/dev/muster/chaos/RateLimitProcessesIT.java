package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process with a block of permits that is frozen. */
class RateLimitProcessesIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    private static final int N = 200;
    private static final int BLOCK = N / 20;

    private final List<NodeProcess> processes = new ArrayList<>();
    private TestDatabase database;

    @BeforeEach
    void openDatabase() {
        database = TestDatabase.fromEnv();
    }

    @AfterEach
    void closeAll() {
        processes.forEach(NodeProcess::close);
        database.close();
    }

    private NodeProcess reserved(Duration window) {
        NodeProcess process = NodeProcess.launch(
                RateLimitedMain.class,
                List.of("-Dlogback.configurationFile=node-logback.xml"),
                List.of(database.url(), "reserved", String.valueOf(N), String.valueOf(window.toMillis())));
        processes.add(process);
        return process.awaitReady();
    }

    private static int call(NodeProcess process, int calls) {
        String answer = process.ask(String.valueOf(calls), line -> line.startsWith("ALLOWED"), SOON);
        return Integer.parseInt(answer.substring("ALLOWED ".length()));
    }

    private String window() {
        return database.column("SELECT window_start FROM muster_rate_limits").get(0);
    }

    private long used() {
        return database.number("SELECT used FROM muster_rate_limits");
    }

    /** It holds a block of a window that has ended meanwhile. The first call after it was thawed asks for a block of the new one. */
    @Test
    void aProcessThatWasFrozenServesNothingOfAWindowThatHasEnded() {
        NodeProcess frozen = reserved(Duration.ofSeconds(3));
        call(frozen, 1);
        String before = window();

        frozen.stop();
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_rate_limits"
                                + " WHERE window_start + interval '3 seconds' < muster_clock()")
                        == 1);
        frozen.cont();

        assertThat(call(frozen, 1)).isEqualTo(1);
        assertThat(window()).isGreaterThan(before);
        assertThat(used()).isEqualTo(BLOCK);
    }
}
