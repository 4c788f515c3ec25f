/**
 * What every other package of this module uses; it uses none of them. The rules are in {@link dev.muster.postgres}.
 *
 * <ul>
 *   <li>{@link dev.muster.postgres.internal.db.Database}: connections of the pool, and transactions on them.
 *   <li>{@link dev.muster.postgres.internal.db.Readers}: where people read, which may be a standby.
 *   <li>{@link dev.muster.postgres.internal.db.ControlConnection}: the one connection outside the pool; {@link
 *       dev.muster.postgres.internal.db.ControlSession} sets it up and gives it back, and {@link dev.muster.postgres.internal.db.StatementQueue}
 *       holds the statements that wait for it.
 *   <li>{@link dev.muster.postgres.internal.db.SqlFiles}, {@link dev.muster.postgres.internal.db.Query}: the texts of statements, and how they
 *       are run.
 *   <li>{@link dev.muster.postgres.internal.db.GroupCommit}: small writes of several threads in one commit.
 *   <li>{@link dev.muster.postgres.internal.db.SqlStates}, {@link dev.muster.postgres.internal.db.DatabaseErrors}: what errors mean.
 *   <li>{@link dev.muster.postgres.internal.db.ServerTimeline}, {@link dev.muster.postgres.internal.db.KnownServers}: which server is the right
 *       one. {@link dev.muster.postgres.internal.db.SilenceWatch}: looks for it where there is no control connection that would.
 * </ul>
 */
@NullMarked
package dev.muster.postgres.internal.db;

import org.jspecify.annotations.NullMarked;
