package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A folder with all its contents. */
record FileTree(Path root) {

    /** What is done with a file or a folder. */
    @FunctionalInterface
    interface Action {
        void accept(Path path) throws IOException;
    }

    /** Everything in it, and the folder itself. */
    void forEach(Action action) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                action.accept(folder);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                action.accept(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Copies files with their permissions, which PostgreSQL checks. */
    void copyTo(Path target) throws IOException {
        forEach(path -> Files.copy(path, target.resolve(root.relativize(path)), StandardCopyOption.COPY_ATTRIBUTES));
    }

    /** Deletes the folder; it is no error if another process deletes it at the same time. */
    void delete() throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) throws IOException {
                Files.deleteIfExists(folder);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
