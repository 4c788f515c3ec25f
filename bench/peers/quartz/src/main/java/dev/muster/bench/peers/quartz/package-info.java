/** Quartz, with its clustered JDBC job store and triggers acquired several at a time. */
@NullMarked
package dev.muster.bench.peers.quartz;

import org.jspecify.annotations.NullMarked;
