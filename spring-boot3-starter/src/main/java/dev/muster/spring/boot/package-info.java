/** The starter for Spring Boot 3: makes beans of {@link dev.muster.spring}, and shows the node to Actuator. */
@NullMarked
package dev.muster.spring.boot;

import org.jspecify.annotations.NullMarked;
