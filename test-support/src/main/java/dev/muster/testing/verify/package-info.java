/**
 * The program behind {@code ./verify}: it runs the tests of all modules and says at the end what happened.
 *
 * <p>The build has left a file {@code target/test.classpath} in each module. {@link dev.muster.testing.verify.Verify} reads the list of
 * modules, starts a JVM for each ({@link dev.muster.testing.verify.TestJvm}), a few at a time, longest first, and follows the events that
 * {@link dev.muster.testing.verify.RunTests} writes there. A test that fails, a JVM that dies and a module that does not compile hide
 * nothing else. What failed is run once more, alone: that tells whether it always fails, and changes no verdict.
 *
 * <pre>
 * Verify ─ Round (all tests, or those chosen; one set of JVM options)
 *            └ TestJvm ×n ─ RunTests (the child) ─ events ─ Results ─ Progress, Summary
 * </pre>
 *
 * <p>Nothing but the JDK is used outside {@code RunTests}, which needs the JUnit of the module that it tests.
 */
package dev.muster.testing.verify;
