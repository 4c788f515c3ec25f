package dev.muster.gateway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnswerTest {
    @Test
    void aListSaysHowMuchItHasLeftOut() {
        List<Integer> all = IntStream.range(0, 10_007).boxed().toList();

        Map<?, ?> document = (Map<?, ?>) Answer.list("all", all, i -> i).document();

        assertThat((List<?>) document.get("all")).hasSize(10_000).first().isEqualTo(0);
        assertThat(document.get("left_out")).isEqualTo(7);
        assertThat(Answer.list("all", all.subList(0, 10_000), i -> i).document())
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsOnlyKeys("all");
    }
}
