package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.job.RetryPolicy;
import org.junit.jupiter.api.Test;

/** What stands in braces in a SQL file has its text from the class that owns it. */
class SqlFilesTest {
    private final SqlFiles files = new SqlFiles("jobs_of_shop");

    @Test
    void aPhraseIsThatOfTheEngine() {
        assertThat(files.get("jobs/why_not_due"))
                .contains("starts_with(job.error, '" + EnginePhrase.PUT_BACK.text() + "')")
                .doesNotContain("{phrase");
        assertThat(files.get("workflows/wake_blocked"))
                .contains("NOT LIKE '" + EnginePhrase.NO_LIVE_NODE.text() + "' || '%'");
    }

    @Test
    void aJobWithoutALimitOfCrashesHasTheDefaultOfItsPolicy() {
        assertThat(files.get("jobs/requeue_expired"))
                .as("an included file is filled in, too")
                .contains("CASE WHEN dead.max_attempts = 1 THEN " + RetryPolicy.defaultMaxCrashes(1) + " ELSE "
                        + RetryPolicy.defaultMaxCrashes(2) + " END");
    }

    @Test
    void aPhraseThatDoesNotExistIsAnError() {
        assertThatThrownBy(() -> EnginePhrase.named("put_forth")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theSchemaIsPutIn() {
        assertThat(files.get("jobs/why_not_due"))
                .contains("jobs_of_shop.muster_jobs")
                .doesNotContain("{schema}");
    }
}
