package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A template that later servers of the same user begin with. */
class KeptTemplateIT {
    private final String key = "kept_" + UUID.randomUUID().toString().replace("-", "");
    private final AtomicInteger prepared = new AtomicInteger();

    /** The cache is that of the user. */
    @AfterEach
    void forget() throws IOException {
        for (Path folder : kept()) {
            new FileTree(folder).delete();
        }
    }

    private List<Path> kept() throws IOException {
        try (DirectoryStream<Path> folders =
                Files.newDirectoryStream(Cache.ofUser().root(), "*" + key + "*")) {
            return StreamSupport.stream(folders.spliterator(), false).toList();
        }
    }

    private EmbeddedPostgres start(String version) {
        return EmbeddedPostgres.builder()
                .template(new KeptTemplate(key, version, this::prepare))
                .start();
    }

    private void prepare(String url) {
        prepared.incrementAndGet();
        new Sql(url).execute("CREATE TABLE item AS SELECT 'kept' AS name");
    }

    private String copyOn(EmbeddedPostgres server) {
        return new TestDatabases(server, key, this::prepare).create();
    }

    @Test
    void theNextServerBeginsWithItUntilItsVersionIsAnother() throws Exception {
        String password;
        try (EmbeddedPostgres first = start("1")) {
            new Sql(copyOn(first)).execute("UPDATE item SET name = 'changed'");
            password = first.password();
        }
        assertThat(prepared).hasValue(1);
        try (EmbeddedPostgres second = start("1")) {
            assertThat(new Sql(copyOn(second)).query("SELECT name FROM item")).isEqualTo("kept");
            assertThat(new Sql(copyOn(second)).query("SELECT name FROM item")).isEqualTo("kept");
            assertThat(second.password()).isEqualTo(password).isNotEmpty();
        }
        assertThat(prepared).hasValue(1);
        try (EmbeddedPostgres third = start("2")) {
            assertThat(new Sql(copyOn(third)).query("SELECT name FROM item")).isEqualTo("kept");
        }
        assertThat(prepared).hasValue(2);
        assertThat(kept()).hasSize(2);
    }

    @Test
    void twoServersThatMakeItAtOnceBothHaveIt() throws Exception {
        CompletableFuture<String> one = CompletableFuture.supplyAsync(this::nameOnNewServer);
        CompletableFuture<String> two = CompletableFuture.supplyAsync(this::nameOnNewServer);

        assertThat(one.join()).isEqualTo("kept");
        assertThat(two.join()).isEqualTo("kept");
        assertThat(kept()).hasSize(1);
    }

    private String nameOnNewServer() {
        try (EmbeddedPostgres server = start("1")) {
            return new Sql(copyOn(server)).query("SELECT name FROM item");
        }
    }

    /** As without a cache: whoever wants a database learns why there is none, and may try again. */
    @Test
    void aPreparationThatFailsKeepsNothingAndNoServerFromStarting() throws Exception {
        KeptTemplate broken = new KeptTemplate(key, "1", url -> {
            prepare(url);
            throw new IllegalStateException("migration failed");
        });
        try (EmbeddedPostgres server =
                EmbeddedPostgres.builder().template(broken).start()) {
            assertThat(kept()).isEmpty();
            TestDatabases databases = new TestDatabases(server, key, broken.prepare());
            assertThatThrownBy(databases::create).hasMessage("migration failed");
            assertThat(new Sql(copyOn(server)).query("SELECT name FROM item")).isEqualTo("kept");
        }
    }

    /** What is durable or kept belongs to a user, and gets nothing that tests have made. */
    @Test
    void durableDataHasNoTemplate() {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                .durable(true)
                .template(new KeptTemplate(key, "1", this::prepare))
                .start()) {
            assertThat(new Sql(server.jdbcUrl())
                            .query("SELECT count(*) FROM pg_database WHERE datname LIKE 'template_kept%'"))
                    .isEqualTo("0");
        }
        assertThat(prepared).hasValue(0);
    }
}
