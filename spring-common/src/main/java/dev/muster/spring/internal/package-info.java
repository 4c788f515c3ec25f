/**
 * Muster in a Spring application. The starters for Spring Boot 3 and 4 make beans of these classes; nothing here knows Spring Boot.
 *
 * <h2>Beans with handlers</h2>
 *
 * {@link HandlerBeans} finds the annotated methods of beans by the beans' types, so that a Muster can be built before the beans that use it.
 * A call asks Spring for the bean and goes through its proxies. Once all beans exist, the same class compares what it has registered with
 * what the beans are, and refuses methods that a proxy does not pass on.
 *
 * <h2>Transactions</h2>
 *
 * {@link SpringCurrentTransaction} lets Muster write in the transaction that Spring has open on the thread, if that transaction is one of
 * Muster's own {@code DataSource}. {@link MusterTransactions} completes a job in it.
 *
 * <h2>Life cycle</h2>
 *
 * <pre>
 *   context:   beans are created ─▶ web server starts ─▶ MusterLifecycle.start ─▶ … ─▶ MusterLifecycle.stop ─▶ web server stops ─▶ beans are destroyed
 *   Muster:    built                                     joins, runs jobs              drains, leaves          can still enqueue   closed
 * </pre>
 *
 * <h2>Settings</h2>
 *
 * {@link SpringSettings} reads every setting of Muster from Spring's environment, as {@code muster.worker.drain-timeout} for {@code
 * worker.drain_timeout}. {@code muster.toml} is not read.
 */
@NullMarked
package dev.muster.spring.internal;

import org.jspecify.annotations.NullMarked;
