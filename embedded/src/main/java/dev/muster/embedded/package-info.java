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
 * <p><b>Reaping.</b> Each server has a keeper: a small shell process that starts it, stops it, and reads its orders
 * from a pipe only this JVM holds open. When the JVM ends, kill -9 included, the pipe ends, and the keeper stops the
 * server and removes a temporary folder. {@code close()} ends the same pipe, so the way out after a crash is the way
 * out of every day. The keeper exists before the server does, so there is no moment at which a server has none. It
 * ignores the signals that a terminal sends to a whole process group; the server is in a session of its own.
 *
 * <p><b>Folders.</b> A server's folder holds {@code pgdata} and {@code server.log} (and the log before it, {@code
 * server.log.1}). A temporary folder lies in {@code /dev/shm} if there is room and the server is not durable. Settings
 * are written anew at each start; {@code ALTER SYSTEM} still wins over them. Binaries, and for tests a freshly
 * initialised cluster to copy, are kept in a cache folder per user, {@code muster/postgres} in {@code
 * $XDG_CACHE_HOME} or {@code ~/.cache}; it can be deleted whenever no server runs.
 *
 * <p><b>Rules.</b> The server listens on 127.0.0.1 alone and trusts whoever connects, as the superuser {@code
 * postgres}: never put data in it that other users of the machine may not see. PostgreSQL refuses to run as root; as
 * root it is started in a user namespace of its own ({@code unshare -U}). This package depends on no other of Muster.
 */
@NullMarked
package dev.muster.embedded;

import org.jspecify.annotations.NullMarked;
