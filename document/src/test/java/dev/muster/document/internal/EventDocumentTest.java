package dev.muster.document.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.Event.Changed;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.Count;
import dev.muster.event.Event.Hello;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.LiveCounts;
import dev.muster.event.Event.MoreEnded;
import dev.muster.event.Event.Reset;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.Things;
import dev.muster.event.Event.WatchedJob;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.workflow.RunStatus;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventDocumentTest {
    private static final Instant T = Instant.parse("2026-03-01T12:00:00.123456Z");
    private static final JobId A = JobId.of("0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11");

    static Stream<Content> contents() {
        return Stream.concat(
                Arrays.stream(Things.values()).map(Changed::new),
                Stream.of(
                        new Hello("n1", T),
                        new JobEnded(A, "mail", "default", JobStatus.FAILED, 3, Optional.of("n1"), T),
                        new JobEnded(A, "mail", "default", JobStatus.CANCELLED, 0, Optional.empty(), T),
                        new MoreEnded(1_000, 10),
                        new LiveCounts(new Count(1, true), new Count(2, false), new Count(3, true), new Count(4, true)),
                        new WatchedJob(A, JobStatus.RUNNING, 2, Optional.of("n1"), Optional.of(40), 7),
                        new WatchedJob(A, JobStatus.PENDING, 0, Optional.empty(), Optional.empty(), 0),
                        new RunChanged(A, "checkout", RunStatus.SLEEPING, T),
                        new Reset("too slow")));
    }

    @ParameterizedTest
    @MethodSource("contents")
    void whatWasWrittenIsReadBack(Content content) {
        String text = Json.write(EventDocument.write(content));

        assertThat(EventDocument.read(content.type(), JsonObjectReader.read(text)))
                .contains(content);
    }

    @Test
    void aKindThatIsNotKnownIsLeftOut() {
        assertThat(EventDocument.read("weather", JsonObjectReader.read("{}"))).isEmpty();
    }
}
