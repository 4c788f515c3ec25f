package dev.muster.internal.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the log says about the jobs of nodes that have died. */
class RecoveryReportTest {
    private static Recovered taken(JobId id, String name, String node, Duration leaseAge, JobStatus now) {
        return new Recovered(
                id, 1, name, new Lane("default", ""), node, leaseAge, now == JobStatus.FAILED, now, 1, 3, 1, null);
    }

    private static Recovered pending(String name, String node, int leaseAgeMs) {
        return taken(JobId.next(), name, node, Duration.ofMillis(leaseAgeMs), JobStatus.PENDING);
    }

    private static Recovered dead(JobId id) {
        return taken(id, "pack", "n1", Duration.ofMillis(-9), JobStatus.FAILED);
    }

    private static List<String> logged(List<Recovered> jobs) {
        RecoveryReport report = new RecoveryReport();
        jobs.forEach(report::add);
        Logger logger = (Logger) LoggerFactory.getLogger(RecoveryReport.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            report.log();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aNodeWithManyJobsIsOneLineForEachName() {
        List<Recovered> jobs = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            jobs.add(pending("mail", "n1", -1_000 - i));
        }
        jobs.add(pending("pack", "n1", 5));
        jobs.add(pending("mail", "n2", -7));

        assertThat(logged(jobs))
                .containsExactly(
                        "taken from peer=n1 name=mail jobs=200 crashes=0 lease_left_ms=1000",
                        "taken from peer=n1 name=pack jobs=1 crashes=0 lease_over_ms=5",
                        "taken from peer=n2 name=mail jobs=1 crashes=0 lease_left_ms=7");
    }

    @Test
    void deadLettersAreNamedButNotThousands() {
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            ids.add(JobId.next());
        }
        List<Recovered> two =
                List.of(pending("pack", "n1", -9), dead(ids.get(0)), dead(ids.get(1)), pending("pack", "n1", -10));

        assertThat(logged(two))
                .containsExactly("taken from peer=n1 name=pack jobs=4 crashes=2 lease_left_ms=9 dead_letters=2 ids="
                        + ids.get(0) + "," + ids.get(1));
        assertThat(logged(ids.stream().map(RecoveryReportTest::dead).toList()))
                .containsExactly("taken from peer=n1 name=pack jobs=21 crashes=21 lease_left_ms=9 dead_letters=21 ids="
                        + ids.stream().limit(20).map(JobId::toString).collect(Collectors.joining(","))
                        + ",...");
    }

    @Test
    void nothingTakenIsNothingLogged() {
        assertThat(logged(List.of())).isEmpty();
    }
}
