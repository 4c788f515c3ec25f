package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void the_median_ignores_one_outlier() {
        Samples samples = new Samples(List.of(10.0, 900.0, 12.0));

        assertThat(samples.median()).isEqualTo(12);
        assertThat(samples.low()).isEqualTo(10);
        assertThat(samples.high()).isEqualTo(900);
    }

    @Test
    void of_an_even_number_the_median_is_between_the_middle_two() {
        assertThat(new Samples(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
    }

    @Test
    void of_many_the_outermost_are_left_out_of_the_spread() {
        Samples samples = new Samples(
                IntStream.rangeClosed(0, 100).mapToObj(i -> (double) i).toList());

        assertThat(samples.low()).isEqualTo(5);
        assertThat(samples.high()).isEqualTo(95);
    }

    @Test
    void quotients_are_of_neighbours() {
        assertThat(new Samples(List.of(4.0, 9.0, 1.0))
                        .dividedBy(new Samples(List.of(2.0, 3.0)))
                        .values())
                .containsExactly(2.0, 3.0);
    }
}
