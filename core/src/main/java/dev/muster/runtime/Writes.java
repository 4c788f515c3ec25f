package dev.muster.runtime;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of an API that changes something in the cluster. An observer refuses the call with an {@link ObserverRefusal}; every method without
 * this annotation it answers.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Writes {

    /** What the method does, as the refusal says it, such as {@code pause queues}. */
    String value();
}
