package dev.muster.gateway.internal.auth;

import dev.muster.gateway.internal.pem.UnusableKeys;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of {@code jwt.keys_file}. A request that finds the last reading older than five seconds reads the file again. A changed file that
 * cannot be used leaves the old keys in place, and the log says why once for each change.
 */
final class KeysFile implements TokenKeys {
    private static final Logger log = LoggerFactory.getLogger(KeysFile.class);
    private static final long CHECK_AFTER = Duration.ofSeconds(5).toNanos();
    private static final int LARGEST = 1 << 20;

    private final Path file;
    private final Clock clock;

    /** Held by the one request that reads the file. */
    private final ReentrantLock reading = new ReentrantLock();

    private String seen;
    private volatile KeySet keys;
    private volatile long checkedAt;

    /** @throws MusterException if the file cannot be used */
    KeysFile(Path file, Clock clock) {
        this.file = file;
        this.clock = clock;
        try {
            seen = text();
            keys = KeySet.read(seen);
        } catch (UnusableKeys e) {
            throw new MusterException("jwt.keys_file: the file " + file + " " + e.getMessage());
        }
        checkedAt = clock.nanos();
    }

    @Override
    public KeySet current() {
        if (clock.nanos() - checkedAt >= CHECK_AFTER && reading.tryLock()) {
            try {
                readIfChanged();
                checkedAt = clock.nanos();
            } finally {
                reading.unlock();
            }
        }
        return keys;
    }

    @Override
    public KeySet newerThan(KeySet tried) {
        return keys;
    }

    private void readIfChanged() {
        String now = "";
        try {
            now = text();
            if (!now.equals(seen)) {
                keys = KeySet.read(now);
                log.info("jwt.keys_file: new keys file={}", file);
            }
        } catch (UnusableKeys e) {
            if (!now.equals(seen)) {
                log.warn("jwt.keys_file: the old keys stay, because the file {} {}", file, e.getMessage());
            }
        }
        seen = now;
    }

    /** Reads the file; a file that cannot be read has no text. */
    private String text() throws UnusableKeys {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(LARGEST + 1);
            if (bytes.length > LARGEST) {
                throw new UnusableKeys("is larger than 1 MB");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw new UnusableKeys("does not exist");
        } catch (IOException e) {
            throw new UnusableKeys("cannot be read: " + e.getMessage());
        }
    }
}
