package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The password of a server's superuser. It lies beside the data, where nobody but the user who runs the server can read it: a
 * superuser may run programs as that user, so other users of the machine must not become one.
 */
final class Password {
    private static final String FILE = "muster_password";
    private static final int BYTES = 16;

    private Password() {}

    /** A new one, in a file that nobody else can read. */
    static Path choose() throws IOException {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        return Files.writeString(
                Files.createTempFile("muster-", ""), HexFormat.of().formatHex(random));
    }

    /** Keeps it with the data that was made with it. */
    static void keep(Path password, Path data) throws IOException {
        Files.copy(password, data.resolve(FILE), StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** That of this data; empty for data that was made when servers had none. */
    static Optional<String> of(Path data) throws IOException {
        Path file = data.resolve(FILE);
        return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }
}
