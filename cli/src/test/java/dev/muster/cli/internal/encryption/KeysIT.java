package dev.muster.cli.internal.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.schedule.CronSpec;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class KeysIT extends OnTestDatabase {
    private static final String ONE = "k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";
    private static final String TWO = "k2=bWF0ZXJpYWwtdHdvLW1hdGVyaWFsLXR3by1tYXQtMjI=";
    private static final JobType<String, String> ECHO = JobType.of("echo", String.class, String.class);

    private Muster client(String keys) {
        return Muster.builder()
                .config(MusterConfig.defaults().with("encryption.keys", keys))
                .dataSource(database.dataSource())
                .build();
    }

    private JsonNode keys(String... more) {
        String[] args = new String[5 + more.length];
        System.arraycopy(
                new String[] {"encryption", "keys", "-o", "json", "--set=encryption.keys=" + TWO}, 0, args, 0, 5);
        System.arraycopy(more, 0, args, 5, more.length);
        return Cli.on(database, args).done().json();
    }

    @Test
    void aKeyThatOnlyACronNeedsIsNotReadyToBeRetired() {
        assertThat(Cli.on(database, "encryption", "keys").done().out()).contains("nothing is stored");
        try (Muster first = client(ONE);
                Muster second = client(TWO);
                Muster plain = client("")) {
            first.crons().create(CronSpec.of("nightly", "@yearly", JobRequest.of(ECHO, "a")));
            second.jobs().enqueue(JobRequest.of(ECHO, "b").key("b"));
            plain.jobs().enqueue(ECHO, "c");
            first.jobs().cancel(first.jobs().enqueue(ECHO, "d"));
        }

        JsonNode list = keys();
        assertThat(list).extracting(entry -> entry.get("key").asString("")).containsExactly("k1", "k2", "");
        JsonNode one = list.get(0);
        assertThat(one.get("known").asBoolean()).isFalse();
        assertThat(one.get("crons").asInt()).isEqualTo(1);
        assertThat(one.get("live_jobs").asInt()).isZero();
        assertThat(one.has("ended_jobs")).isFalse();
        JsonNode two = list.get(1);
        assertThat(two.get("active").asBoolean()).isTrue();
        assertThat(two.get("live_jobs").asInt()).isEqualTo(1);
        assertThat(two.get("idempotency_keys").asInt()).isEqualTo(1);
        JsonNode plain = list.get(2);
        assertThat(plain.get("encrypted").asBoolean()).isFalse();
        assertThat(plain.get("live_jobs").asInt()).isEqualTo(1);
        assertThat(keys("--history").get(0).get("ended_jobs").asInt()).isEqualTo(1);

        try (Muster first = client(ONE)) {
            first.crons().delete("nightly");
        }
        assertThat(keys()).extracting(entry -> entry.get("key").asString("")).doesNotContain("k1");
        assertThat(Cli.on(database, "encryption", "keys", "--set=encryption.keys=" + ONE)
                        .done()
                        .out())
                .containsPattern("k1 +active( +0)+ +not counted")
                .containsPattern("k2 +missing +1")
                .contains("(plain text)");
    }

    @Test
    void theGroupDoesWhatItsOnlyCommandDoes() {
        assertThat(Cli.on(database, "encryption").done().out()).contains("nothing is stored");
    }
}
