/** JobRunr, the open-source edition, with job requests, its shortest poll interval and its worker count for this machine. */
@NullMarked
package dev.muster.bench.peers.jobrunr;

import org.jspecify.annotations.NullMarked;
