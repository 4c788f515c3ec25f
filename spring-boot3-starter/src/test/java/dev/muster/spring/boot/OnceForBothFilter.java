package dev.muster.spring.boot;

import dev.muster.testing.Sizes;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.springframework.boot.SpringBootVersion;

/** Leaves out the tests with {@link OnceForBoth} when they are about to run for the second time. Every launcher of JUnit finds it. */
public final class OnceForBothFilter implements PostDiscoveryFilter {
    private static final boolean BOOT_3 = SpringBootVersion.getVersion().startsWith("3.");
    private static final TestTag TAG = TestTag.create(OnceForBoth.TAG);

    @Override
    public FilterResult apply(TestDescriptor test) {
        return FilterResult.includedIf(
                !BOOT_3 || Sizes.full() || !test.getTags().contains(TAG));
    }
}
