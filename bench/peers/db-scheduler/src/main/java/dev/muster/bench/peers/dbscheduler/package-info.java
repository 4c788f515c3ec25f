/** db-scheduler, with the polling strategy and limits that its documentation gives for high throughput. */
@NullMarked
package dev.muster.bench.peers.dbscheduler;

import org.jspecify.annotations.NullMarked;
