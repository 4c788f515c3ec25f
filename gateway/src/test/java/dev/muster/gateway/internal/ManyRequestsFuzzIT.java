package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.LongTest;
import dev.muster.testing.Seeds;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Enough requests that whatever each of them leaves behind in memory would show. */
@MusterTest
@Isolated("looks at the memory of the whole process")
@LongTest(
        twin = RequestFuzzIT.class,
        test = "noRequestMakesTheGatewayFailOrTellOfItsInside",
        why = "20,000 requests, new ones each time, and how much memory is used after them")
class ManyRequestsFuzzIT {
    private static final int WARM = 5_000;
    private static final int REQUESTS = 15_000;

    /** 1,000 bytes for each request would be 15 MB. */
    private static final long MOST_GROWTH = 10L << 20;

    @Test
    void noRequestMakesTheGatewayFailOrUseMoreMemory(Cluster cluster) throws Exception {
        RequestFuzz fuzz = RequestFuzz.start(cluster);
        long seed = Seeds.next(getClass());
        fuzz.send(WARM, seed);
        long before = used();

        fuzz.send(REQUESTS, seed + 100);

        long growth = used() - before;
        fuzz.assertAllIsWell();
        System.out.printf("%d requests left %d kB in memory behind%n", REQUESTS, growth / 1_000);
        assertThat(growth).isLessThan(MOST_GROWTH);
    }

    private static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
