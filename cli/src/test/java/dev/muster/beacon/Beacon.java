package dev.muster.beacon;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A method without parameters whose node shows a light of this name as long as it is alive. The method returns its colour. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Beacon {
    String value();
}
