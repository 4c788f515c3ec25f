/**
 * Routing: which executor of a node runs a job. The job's name decides, and each node decides for itself by its own settings.
 *
 * <p>A {@link dev.muster.internal.routing.Router} asks these questions in this order; the first answer counts:
 *
 * <ol>
 *   <li>Does an executor with a command list the name ({@code executors.NAME.jobs})? Then that executor runs the job, whatever the rules
 *       say, because nothing else on this node can run it.
 *   <li>Which rule of {@code routing.rules} is the first whose pattern matches the name? Its executor runs the job. Later rules are not
 *       asked, even if their pattern is more exact. {@link dev.muster.runtime.NamePattern} says what a pattern matches.
 *   <li>Otherwise {@code routing.default} runs it. If that is {@code none}, this node does not run the job: it neither publishes the name
 *       nor claims such jobs, and other nodes may.
 * </ol>
 *
 * <p>The names of a node's handlers do not change after its start, so routing {@linkplain dev.muster.internal.routing.Router#partition divides}
 * them among the executors once, when the node starts: each executor claims the jobs of its own names, for its own free slots. A job
 * whose executor is full stays in the database, where another node can claim it, and does not hold up jobs of other executors.
 *
 * <p>Routing knows neither queues nor capabilities: these decide which nodes may claim a job, routing decides what runs it there.
 */
@NullMarked
package dev.muster.internal.routing;

import org.jspecify.annotations.NullMarked;
