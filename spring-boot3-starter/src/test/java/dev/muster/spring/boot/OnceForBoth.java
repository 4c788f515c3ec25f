package dev.muster.spring.boot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Tests of what both starters have from {@code spring-common}: {@code ./verify} runs them with Spring Boot 4 alone, {@code ./verify
 * --long} with both.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag(OnceForBoth.TAG)
@interface OnceForBoth {
    String TAG = "once-for-both";
}
