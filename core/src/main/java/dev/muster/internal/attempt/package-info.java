/**
 * The rules of one attempt at a job. The worker of a node and the test kit both run handlers by these rules, so that a handler that
 * passes its test does the same on a node. Applications do not use this package; it may change at any time.
 *
 * <pre>
 *   openArgs ─────▶ call ─────────────────────▶ outcome                 {@link dev.muster.internal.attempt.AttemptRules}
 *   decrypts        binds the args, calls       decides what becomes of the job:
 *   the args        the interceptors and        completed, tried again, failed or snoozed
 *      │            the handler
 *      │               │
 *      ▼               ▼
 *   putBack         {@link dev.muster.internal.attempt.HandlerEnd}: a value or a failure
 * </pre>
 *
 * <h2>Rules</h2>
 *
 * <ul>
 *   <li>Args that cannot be decrypted are not the job's fault: the job is put back for 30 s and no attempt counts. Args that do not
 *       fit the handler's type, or are missing, make the job a dead letter at once, because no retry can change them.
 *   <li>A handler fails with whatever it throws, be it an error. {@link dev.muster.job.Snooze} is no failure; {@link
 *       dev.muster.job.ClaimLost} means that there is no outcome to write.
 *   <li>A failure leads to another attempt if the job's {@link dev.muster.internal.job.JobRetries} say so, and otherwise to a dead letter.
 *   <li>A result that cannot be written as JSON, or is too large, makes the job a dead letter: the handler has done its work, and
 *       another attempt would do it twice.
 *   <li>A handler that calls {@code completeIn} has its outcome in its own transaction. Its return value is ignored, and if the
 *       transaction is rolled back, the attempt has failed.
 *   <li>An interrupt that the handler leaves behind ends with the attempt.
 *   <li>Errors, results, progress messages and log lines are limited in length. Errors, messages and lines are stored without
 *       characters that PostgreSQL refuses.
 * </ul>
 *
 * <h2>What is not here</h2>
 *
 * The rules use no database and no threads of their own, and know no leases. The worker decides what takes precedence over them: a
 * handler that was told to stop, a claim that was lost, and an attempt that failed because the database was away.
 */
@NullMarked
package dev.muster.internal.attempt;

import org.jspecify.annotations.NullMarked;
