/** The starter for Spring Boot 4: makes beans of {@link dev.muster.spring}, and shows the node to Actuator. */
@NullMarked
package dev.muster.spring.boot;

import org.jspecify.annotations.NullMarked;
