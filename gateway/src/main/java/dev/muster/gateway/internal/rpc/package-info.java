/** Calls by name: RPC functions, and JSON-RPC 2.0 for graphs of tasks. */
@NullMarked
package dev.muster.gateway.internal.rpc;

import org.jspecify.annotations.NullMarked;
