package dev.muster.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Makes the pictures of docs/images: copy them from target/screenshots when the overview has changed. */
class ScreenshotsIT extends InBrowser {
    private static final long MOST_BYTES = 200_000;

    @Test
    void theOverviewLightAndDark(Cluster cluster) throws IOException {
        Seed seed = Seed.plant(cluster);

        for (Look look : new Look[] {Look.DESK_LIGHT, Look.DESK_DARK}) {
            Tab tab = open(seed.gateway, look).go("#/").settle();
            tab.page().locator("main svg").first().waitFor();
            Path picture = tab.screenshot(look == Look.DESK_LIGHT ? "dashboard-light" : "dashboard-dark");

            assertThat(Files.size(picture)).isBetween(10_000L, MOST_BYTES);
            tab.assertNoProblems();
        }
    }
}
