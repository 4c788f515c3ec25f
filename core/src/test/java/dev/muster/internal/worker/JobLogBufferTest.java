package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.job.JobLog;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JobLogBufferTest {
    private final List<NewLogLine> written = new ArrayList<>();
    private @Nullable MusterException refusal;
    private int prepared;

    private final ClaimStore store = (ClaimStore) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {ClaimStore.class}, (proxy, method, args) -> {
                if (method.getName().equals("prepareHistory")) {
                    prepared++;
                    return null;
                }
                assertThat(method.getName()).isEqualTo("appendLogs");
                if (refusal != null) {
                    throw refusal;
                }
                for (Object line : (List<?>) args[0]) {
                    written.add((NewLogLine) line);
                }
                return null;
            });
    private final JobLogBuffer buffer = new JobLogBuffer(store, Clock.system());

    private JobLog log(int job) {
        return buffer.of(Claims.ordinary(job).job());
    }

    @Test
    void linesThatTheDatabaseRefusesDoNotKeepTheNextFromBeingWritten() {
        log(1).info("of a day that is gone");
        refusal = new MusterException("no partition of relation");
        buffer.flush();
        assertThat(prepared).as("made room for the day first").isEqualTo(1);

        refusal = null;
        log(1).info("of today");
        buffer.flush();
        assertThat(written).extracting(NewLogLine::message).containsExactly("of today");
    }

    @Test
    void linesWaitForADatabaseThatIsAway() {
        log(1).info("kept");
        refusal = new DatabaseUnavailable("away", null);
        assertThatThrownBy(buffer::flush).isInstanceOf(DatabaseUnavailable.class);

        refusal = null;
        buffer.flush();
        assertThat(written).extracting(NewLogLine::message).containsExactly("kept");
    }

    @Test
    void isBoundedByWhatItHoldsAndNotByLinesAlone() {
        String long4000 = "x".repeat(4_000);
        for (int job = 0; job < 10; job++) {
            JobLog log = log(job);
            for (int line = 0; line < 1_000; line++) {
                log.info(long4000);
            }
        }
        buffer.flush();
        long characters =
                written.stream().mapToLong(line -> line.message().length()).sum();
        assertThat(characters).isBetween(8L << 20, (8L << 20) + 4_000);

        log(11).info("there is room again");
        buffer.flush();
        assertThat(written.get(written.size() - 1).message()).isEqualTo("there is room again");
    }
}
