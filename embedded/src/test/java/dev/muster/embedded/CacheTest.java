package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        assertThat(root).isEmptyDirectory();
    }

    private Path folder(Cache.Builder builder) {
        try {
            return new Cache(root).folder("thing", builder);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
