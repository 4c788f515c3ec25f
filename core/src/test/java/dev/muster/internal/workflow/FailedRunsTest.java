package dev.muster.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.workflow.WorkflowStore.FailedRun;
import dev.muster.internal.workflow.WorkflowStore.Retry;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much of a failed run and its children is retried at once. */
class FailedRunsTest {
    private static final Set<Lane> LANES = Set.of(new Lane("default", ""));

    private final Map<JobId, FailedRun> failed = new HashMap<>();
    private int retried;

    /** A store that has only these failed runs. */
    private final WorkflowStore store = (WorkflowStore) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {WorkflowStore.class}, (proxy, method, args) -> {
                if (method.getName().equals("failedRun")) {
                    return Optional.ofNullable(failed.get((JobId) args[0]));
                }
                assertThat(method.getName()).isEqualTo("retry");
                retried = ((List<?>) args[0])
                        .stream().mapToInt(run -> ((Retry) run).forget().size()).sum();
                return LANES;
            });

    private JobId failed(int steps, Map<String, JobId> children) {
        JobId id = JobId.next();
        List<String> paths = IntStream.range(0, steps).mapToObj(String::valueOf).toList();
        failed.put(id, new FailedRun(id, Instant.EPOCH, List.of("0"), paths, children, List.of(), null));
        return id;
    }

    /** A run whose children have ended it, each with as many steps as a run may have. */
    private JobId failedParent(int steps, int children) {
        Map<String, JobId> each = new LinkedHashMap<>();
        for (int i = 0; i < children; i++) {
            each.put("0." + i + ".0", failed(10_000, Map.of()));
        }
        return failed(steps, each);
    }

    @Test
    void aHundredThousandStepsAreForgottenAtOnceAndNoMore() {
        assertThat(new FailedRuns(store).retry(failedParent(10_000, 9))).isEqualTo(LANES);
        assertThat(retried).isEqualTo(100_000);

        JobId tooMuch = failedParent(1, 10);
        assertThatThrownBy(() -> new FailedRuns(store).retry(tooMuch))
                .hasMessage("more than 100000 steps of 11 runs would be run again together; start a new run instead");
    }

    @Test
    void aThousandRunsAreRetriedAtOnceAndNoMore() {
        Map<String, JobId> children = new LinkedHashMap<>();
        for (int i = 0; i < 999; i++) {
            children.put("0." + i + ".0", failed(1, Map.of()));
        }
        JobId parent = failed(1, children);
        assertThat(new FailedRuns(store).retry(parent)).isEqualTo(LANES);

        children.put("0.999.0", failed(1, Map.of()));
        JobId tooMany = failed(1, children);
        assertThatThrownBy(() -> new FailedRuns(store).retry(tooMany))
                .hasMessage("more than 1000 runs would be retried together; start a new run instead");
    }
}
