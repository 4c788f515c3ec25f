package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.MusterException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobIdTest {

    @Test
    void isReadFromItsText() {
        JobId id = JobId.next();
        assertThat(JobId.of(id.toString())).isEqualTo(id).isEqualTo(JobId.of(id.value()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "42", "1-1-1-1-1", "0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11 "})
    void otherTextIsRefusedInWords(String text) {
        assertThatThrownBy(() -> JobId.of(text))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("'" + text + "' is not a job id");
    }
}
