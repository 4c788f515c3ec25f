package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.bench.contender.Contender;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeersTest {
    @Test
    void peers_come_from_their_folders_by_name() throws Exception {
        try (Peers all = new Peers(List.of());
                Peers one = new Peers(List.of("quartz"))) {
            assertThat(all.contenders())
                    .extracting(Contender::name)
                    .containsExactly("db_scheduler", "dbos", "jobrunr", "quartz");
            assertThat(one.contenders()).extracting(Contender::name).containsExactly("quartz");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "com.github.kagkarlsson.scheduler.Scheduler",
                "dev.dbos.transact.DBOS",
                "org.jobrunr.configuration.JobRunr",
                "org.quartz.Scheduler"
            })
    void no_peer_is_on_the_class_path_of_the_bench(String type) {
        assertThatThrownBy(() -> Class.forName(type)).isInstanceOf(ClassNotFoundException.class);
    }
}
