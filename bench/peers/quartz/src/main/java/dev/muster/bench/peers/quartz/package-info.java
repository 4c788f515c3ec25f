/** Quartz, with its clustered JDBC job store and triggers acquired in batches. */
@NullMarked
package dev.muster.bench.peers.quartz;

import org.jspecify.annotations.NullMarked;
