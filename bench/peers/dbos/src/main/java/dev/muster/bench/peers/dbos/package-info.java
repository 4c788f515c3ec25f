/** DBOS Transact for Java: workflows on a queue, started by a client, as its documentation says for work that comes from outside. */
@NullMarked
package dev.muster.bench.peers.dbos;

import org.jspecify.annotations.NullMarked;
