package dev.muster.gateway.internal;

import dev.muster.testing.Seeds;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import org.junit.jupiter.api.Test;

/** Requests that are right but for one thing; see {@link RequestFuzz}. */
@MusterTest
class RequestFuzzIT {
    private static final int REQUESTS = 1_000;
    private static final long SEED = 16;

    @Test
    void noRequestMakesTheGatewayFailOrTellOfItsInside(Cluster cluster) throws Exception {
        RequestFuzz fuzz = RequestFuzz.start(cluster);

        fuzz.send(REQUESTS, Seeds.next(getClass(), SEED));

        fuzz.assertAllIsWell();
    }
}
