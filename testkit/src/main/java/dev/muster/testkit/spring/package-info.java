/**
 * {@link dev.muster.testkit.MusterTest} together with a Spring context: the context gets a database and a clock of its own, and the
 * application's own node runs the jobs. Only tests with Spring load these classes.
 */
@NullMarked
package dev.muster.testkit.spring;

import org.jspecify.annotations.NullMarked;
