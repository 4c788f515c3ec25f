package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.ClaimFilter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacementTest {

    private static boolean fits(String text, String node, Map<String, String> labels, String... capabilities) {
        return Placement.parse(text).fits(List.of(capabilities), labels, node);
    }

    @Test
    void equalPlacementsHaveTheSameText() {
        Placement one = Placement.ANYWHERE
                .notOnNodes("n9")
                .onNodes("n2", "n1")
                .forbid("spot", "tier=low")
                .require("zone=eu", "gpu");

        assertThat(one.text()).isEqualTo("gpu&zone=eu!spot!tier=low@n1|n2~n9");
        assertThat(Placement.parse("zone=eu&gpu!tier=low!spot@n2|n1|n2~n9")).isEqualTo(one);
        assertThat(Placement.parse(one.text())).isEqualTo(one);
    }

    @Test
    void aSingleCapabilityIsItsName() {
        assertThat(Placement.ANYWHERE.text()).isEmpty();
        assertThat(Placement.ANYWHERE.require("gpu").text()).isEqualTo("gpu");
        assertThat(Placement.isExpression("gpu")).isFalse();
        assertThat(Placement.isExpression("zone=eu")).isTrue();
    }

    @Test
    void aNodeFitsIfItHasWhatIsRequiredAndNothingThatIsForbidden() {
        assertThat(fits("gpu&zone=eu", "n1", Map.of("zone", "eu"), "gpu", "ssd"))
                .isTrue();
        assertThat(fits("gpu&zone=eu", "n1", Map.of("zone", "us"), "gpu")).isFalse();
        assertThat(fits("gpu&zone=eu", "n1", Map.of("zone", "eu"))).isFalse();
        assertThat(fits("gpu!spot", "n1", Map.of(), "gpu", "spot")).isFalse();
        assertThat(fits("!tier=low", "n1", Map.of("tier", "low"))).isFalse();
        assertThat(fits("!tier=low", "n1", Map.of())).isTrue();
    }

    @Test
    void nodesAreNamedOrExcluded() {
        assertThat(fits("@n1|n2", "n2", Map.of())).isTrue();
        assertThat(fits("@n1|n2", "n3", Map.of())).isFalse();
        assertThat(fits("~n1|n2", "n2", Map.of())).isFalse();
        assertThat(fits("~n1|n2", "n3", Map.of())).isTrue();
        assertThat(fits("gpu@a@b", "a@b", Map.of(), "gpu")).isTrue();
    }

    @Test
    void anExpressionThatIsNotOneIsRefusedWithWhatIsAllowed() {
        for (String wrong : List.of(
                "gpu&", "&gpu", "gpu!", "gpu!a&b", "gpu@", "gpu@~a", "~", "gpu@a||b", "Gpu!a", "gpu&=x", "z=")) {
            assertThatThrownBy(() -> Placement.parse(wrong)).as(wrong).isInstanceOf(InvalidJob.class);
        }
        assertThatThrownBy(() -> Placement.parse("gpu&Fast"))
                .hasMessageContaining("'gpu&Fast'")
                .hasMessageContaining("capability 'Fast' is not allowed")
                .hasMessageContaining("gpu&zone=eu!spot@node-1|node-2");
        assertThatThrownBy(() -> Placement.ANYWHERE.onNodes("a|b")).hasMessageContaining("without | ~");
        assertThatThrownBy(() -> Placement.ANYWHERE.require("zone=a&b")).hasMessageContaining("without & ! @ ~");
        assertThatThrownBy(() -> Placement.ANYWHERE.require("zone=\n")).isInstanceOf(InvalidJob.class);
    }

    @Test
    void aPlacementThatNoNodeCouldFitIsRefused() {
        assertThatThrownBy(() -> Placement.parse("gpu!gpu")).hasMessageContaining("requires and forbids 'gpu'");
        assertThatThrownBy(() -> Placement.parse("@n1~n1")).hasMessageContaining("excludes node 'n1'");
    }

    @Test
    void aPlacementThatIsTooLongIsRefused() {
        String[] nodes = java.util.stream.IntStream.range(0, 300)
                .mapToObj(i -> "node-" + i)
                .toArray(String[]::new);

        assertThatThrownBy(() -> Placement.ANYWHERE.onNodes(nodes))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("at most 1000 bytes");
    }

    @Test
    void aRequestReplacesThosePartsOfTheHandlersPlacementThatItNames() {
        JobOptions handler = JobOptions.NONE.capability("gpu!spot");

        assertThat(JobRequest.of("a").notOnNodes("n3").options().orElse(handler).capability())
                .isEqualTo("gpu!spot~n3");
        assertThat(JobRequest.of("a")
                        .capability("tpu")
                        .options()
                        .orElse(handler)
                        .capability())
                .isEqualTo("tpu!spot");
        assertThat(JobRequest.of("a")
                        .capability("tpu")
                        .options()
                        .orElse(JobOptions.NONE.capability("gpu"))
                        .capability())
                .isEqualTo("tpu");
        assertThat(JobOptions.NONE.capability("").orElse(handler).capability()).isEmpty();
        assertThat(JobOptions.NONE.orElse(handler).capability()).isEqualTo("gpu!spot");
    }

    @Test
    void aRequestCollectsItsTerms() {
        assertThat(JobRequest.of("a")
                        .capability("gpu")
                        .require("zone=eu")
                        .forbid("spot")
                        .onNodes("n1")
                        .capability())
                .contains("gpu&zone=eu!spot@n1");
        assertThat(JobRequest.of("a").capability("eu&gpu").capability()).contains("eu&gpu");
        assertThat(JobRequest.of("a").capability("gpu&eu").capability()).contains("eu&gpu");
    }

    @Test
    void aHandlerHasTheCanonicalText() {
        assertThat(JobHandler.named("a")
                        .capability("ssd&gpu")
                        .run((ctx, args) -> {})
                        .lane())
                .isEqualTo(new Lane("default", "gpu&ssd"));
        assertThatThrownBy(() -> JobHandler.named("a").capability("gpu&").run((ctx, args) -> {}))
                .isInstanceOf(InvalidJob.class);
    }

    @Test
    void aNodeServesTheLanesThatItFits() {
        ClaimFilter filter =
                new ClaimFilter("n1", Set.of("q"), Set.of("gpu"), Map.of("zone", "eu"), null, Duration.ofSeconds(30));

        assertThat(filter.serves(new Lane("q", "gpu&zone=eu"))).isTrue();
        assertThat(filter.serves(new Lane("q", ""))).isTrue();
        assertThat(filter.serves(new Lane("other", "gpu&zone=eu"))).isFalse();
        assertThat(filter.serves(new Lane("q", "gpu!zone=eu"))).isFalse();
        assertThat(filter.serves(new Lane("q", "~n1"))).isFalse();
    }
}
