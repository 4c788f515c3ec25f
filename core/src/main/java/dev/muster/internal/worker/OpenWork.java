package dev.muster.internal.worker;

/**
 * What a worker has taken on and not finished.
 *
 * @param claims the claims that are open
 * @param completer the outcomes that wait to be written
 * @param completions the claims whose handlers complete them in a transaction that is still open
 * @param logs the log lines of handlers that wait to be written
 */
record OpenWork(ClaimTable claims, Completer completer, OpenCompletions completions, JobLogBuffer logs) {}
