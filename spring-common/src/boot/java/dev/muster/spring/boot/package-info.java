/** The starters for Spring Boot 3 and 4: make beans of {@link dev.muster.spring}, and show the node to Actuator. */
@NullMarked
package dev.muster.spring.boot;

import org.jspecify.annotations.NullMarked;
