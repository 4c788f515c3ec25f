package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SamplesTest {
    @Test
    void the_median_ignores_one_outlier() {
        Samples samples = new Samples(List.of(10.0, 900.0, 12.0));

        assertThat(samples.median()).isEqualTo(12);
        assertThat(samples.min()).isEqualTo(10);
        assertThat(samples.max()).isEqualTo(900);
    }

    @Test
    void of_an_even_number_the_median_is_between_the_middle_two() {
        assertThat(new Samples(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
    }
}
