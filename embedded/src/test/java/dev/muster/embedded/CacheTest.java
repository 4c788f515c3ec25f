package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheTest {
    @TempDir
    Path root;

    @Test
    void buildersThatMeetEndUpWithOneWholeFolder() throws Exception {
        CyclicBarrier bothBuilding = new CyclicBarrier(2);
        Cache.Builder builder = folder -> {
            try {
                bothBuilding.await();
            } catch (Exception e) {
                throw new IOException(e);
            }
            Files.writeString(folder.resolve("content"), "whole");
        };
        CompletableFuture<Path> one = CompletableFuture.supplyAsync(() -> folder(builder));
        CompletableFuture<Path> two = CompletableFuture.supplyAsync(() -> folder(builder));

        assertThat(one.join()).isEqualTo(two.join());
        assertThat(one.join().resolve("content")).hasContent("whole");
        assertThat(root).isDirectoryNotContaining("glob:**.building");
    }

    @Test
    void failedBuildLeavesNothing() {
        assertThatThrownBy(() -> new Cache(root).folder("thing", folder -> {
                    Files.writeString(folder.resolve("content"), "half");
                    throw new IOException("disk full");
                }))
                .hasMessage("disk full");
        assertThatThrownBy(() -> new Cache(root).folder("thing", folder -> {
                    throw new IllegalStateException("no tables");
                }))
                .hasMessage("no tables");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void ofManyVersionsThoseStayThatWereUsedLastOrJustNow() throws Exception {
        Cache cache = new Cache(root);
        for (int hours = 1; hours <= 6; hours++) {
            used("thing-" + hours + "-hours-ago", Duration.ofHours(hours));
        }
        for (int minutes = 1; minutes <= 3; minutes++) {
            used("thing-" + minutes + "-minutes-ago", Duration.ofMinutes(minutes));
        }
        used("another", Duration.ofHours(9));

        cache.version("thing-", "thing-6-hours-ago", folder -> {
            throw new IOException("it is there");
        });
        cache.version("thing-", "thing-new", folder -> {});

        assertThat(root.toFile().list())
                .containsExactlyInAnyOrder(
                        "another",
                        "thing-new",
                        "thing-6-hours-ago",
                        "thing-1-minutes-ago",
                        "thing-2-minutes-ago",
                        "thing-3-minutes-ago");
    }

    private void used(String name, Duration ago) throws IOException {
        Path folder = Files.createDirectory(root.resolve(name));
        Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(ago)));
    }

    private Path folder(Cache.Builder builder) {
        try {
            return new Cache(root).folder("thing", builder);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
