package dev.muster.dashboard;

import dev.muster.testing.Program;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** The Chromium of all test classes, which run one after the other on the same thread. It is closed after the last of them. */
final class OneChromium implements BeforeAllCallback {
    private static @Nullable Chromium chromium;

    static Chromium get() {
        if (chromium == null) {
            throw new IllegalStateException("Chromium was not started");
        }
        return chromium;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Path program = Program.CHROMIUM.require();
        chromium = context.getRoot()
                .getStore(Namespace.create(OneChromium.class))
                .computeIfAbsent(Chromium.class, key -> Chromium.start(program), Chromium.class);
    }
}
