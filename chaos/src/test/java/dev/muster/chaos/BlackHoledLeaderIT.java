package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A leader whose packets are swallowed, in network namespaces; needs no root, see {@link BlackHoleMain}. */
class BlackHoledLeaderIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @BeforeAll
    static void needNamespaces() throws InterruptedException {
        String probe = "ip link set lo up && ip link add v0 type veth peer name v1 && nsenter --version";
        boolean possible;
        try {
            Process process = new ProcessBuilder("unshare", "-Urn", "sh", "-c", probe)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            possible = process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            possible = false;
        }
        if (!possible) {
            System.err.println(
                    "SKIPPED: black-holed leaders are not tested here; that needs unshare -Urn, ip, nsenter");
        }
        assumeTrue(possible, "network namespaces, by unshare -Urn");
    }

    /** With every setting at its default. */
    @LongTest(
            twin = BlackHoledLeaderIT.class,
            test = "itIsReplacedWithinLeaseAndCheck",
            why = "the settings that a user gets, and the twelve seconds that are promised")
    @Test
    void itIsReplacedWithinTwelveSeconds() {
        Measured.within(Duration.ofSeconds(12), replacedAfter(), "the replacement of a leader without a network");
    }

    /** Both in the long run; LeadershipIT shows for both what a leader may do. */
    static List<String> strategies() {
        return Sizes.full() ? List.of("advisory", "lease") : List.of("advisory");
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void itIsReplacedWithinLeaseAndCheck(String strategy) {
        Duration replaced = replacedAfter(
                "leader.strategy=" + strategy, "leader.check_interval=500ms", "leader.renew=1s", "leader.lease=6s");

        Measured.within(
                Duration.ofMillis(6_500 + 1_000), replaced, "the replacement of such a leader, strategy " + strategy);
    }

    private static Duration replacedAfter(String... settings) {
        try (NodeProcess outer = NodeProcess.launch(
                List.of("unshare", "-Urn"),
                BlackHoleMain.class,
                List.of("-Dlogback.configurationFile=node-logback.xml"),
                List.of(settings))) {
            assertThat(outer.exitCode(LIMIT)).as(outer.text()).isZero();
            assertThat(outer.output()).contains("BEFORE WROTE write", "OTHER WROTE write");
            assertThat(outer.text()).contains("AFTER REFUSED write");
            return outer.output().stream()
                    .filter(line -> line.startsWith("REPLACED "))
                    .map(line -> Duration.ofMillis(Long.parseLong(line.substring("REPLACED ".length()))))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
