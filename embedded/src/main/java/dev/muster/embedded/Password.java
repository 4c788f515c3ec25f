package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The password of a server's superuser. It is stored with the data, where only the user who runs the server can read it: a
 * superuser can run programs as that user, so other users of the machine must not become superuser.
 */
final class Password {
    private static final String FILE = "muster_password";
    private static final int BYTES = 16;

    private Password() {}

    /** Creates a password in a file that no other user can read. */
    static Path choose() throws IOException {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        return Files.writeString(
                Files.createTempFile("muster-", ""), HexFormat.of().formatHex(random));
    }

    /** Stores the password with the data that was initialised with it. */
    static void keep(Path password, Path data) throws IOException {
        Files.copy(password, data.resolve(FILE), StandardCopyOption.COPY_ATTRIBUTES);
    }

    /** The password of this data; empty for old data, whose servers ask for none. */
    static Optional<String> of(Path data) throws IOException {
        Path file = data.resolve(FILE);
        return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    }
}
