package dev.muster.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/** A test that runs in {@code ./verify --long} only. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag(LongTest.TAG)
public @interface LongTest {
    /** The JUnit tag that {@code ./verify} leaves out. */
    String TAG = "long";

    /** The test that shows the same behaviour in {@code ./verify}: smaller, or with shorter times. May be this test's own class. */
    Class<?> twin();

    /** The twin's test methods that do. */
    String[] test();

    /** What this test shows that its twin does not. */
    String why();
}
