/** Calls by name: RPC functions, and JSON-RPC 2.0 for graphs of tasks. */
@NullMarked
package dev.muster.gateway.rpc;

import org.jspecify.annotations.NullMarked;
