/**
 * A real PostgreSQL, managed by the process that starts it, for {@code dev}, {@code demo} and tests.
 *
 * <pre>
 *            start()              stopImmediate()
 *   (builder) ─────► RUNNING ─────────────────────► STOPPED
 *                     │  ▲                            │  │
 *                     │  └────────── start() ─────────┘  │
 *                     └──────────────► CLOSED ◄──────────┘
 *                  close(), or the JVM ends in any way
 * </pre>
 *
 * <h2>The keeper process</h2>
 *
 * Each server has a keeper: a small shell process that starts and stops the server, and reads its commands from a pipe that only
 * this JVM holds open. When the JVM ends, even by kill -9, the pipe is closed, and the keeper stops the server and removes a
 * temporary folder. {@code close()} closes the same pipe, so that a crash takes the same path as every normal end. The keeper is
 * started before the server, so that a server always has one. It ignores the signals that a terminal sends to a whole process
 * group; the server runs in its own session.
 *
 * <h2>Folders</h2>
 *
 * A server's folder contains {@code pgdata}, {@code server.log} and the previous log, {@code server.log.1}. A temporary folder is
 * in {@code /dev/shm} if there is room and the server is not durable. Settings are written at each start; {@code ALTER SYSTEM}
 * overrides them. The PostgreSQL programs, and for tests freshly initialised clusters to copy, are kept in a cache folder per
 * user, {@code muster/postgres} in {@code $XDG_CACHE_HOME} or {@code ~/.cache}; it can be deleted whenever no server runs.
 *
 * <h2>Templates of test databases</h2>
 *
 * {@link dev.muster.embedded.TestDatabases} copies each test's database from a template. To prepare one takes as much processor time as a dozen
 * tests, so the cache folder also keeps clusters with a prepared template, under a hash of what prepares it, and the server that
 * all tests of a JVM share starts as a copy of one. Whoever makes it first builds it in a folder of its own and renames that, so
 * it is complete or absent, also if several JVMs build it at once or one is killed meanwhile. Of each template the four versions that were
 * used last are kept. Where it cannot be kept, each JVM prepares its own. No other server is ever made from it.
 *
 * <h2>Access</h2>
 *
 * The server listens on 127.0.0.1 only, and asks for the password of the superuser {@code postgres}, which is stored with the
 * data. A server on an old data folder without a password accepts every user of the machine, and a warning is logged.
 *
 * <p>PostgreSQL refuses to run as root. For root it is started in a user namespace of its own ({@code unshare -U}), or, where none can be made,
 * as in most containers, as {@code nobody} with root's access to files ({@code setpriv}).
 *
 * <p>This package depends on no other package of Muster.
 */
@NullMarked
package dev.muster.embedded;

import org.jspecify.annotations.NullMarked;
