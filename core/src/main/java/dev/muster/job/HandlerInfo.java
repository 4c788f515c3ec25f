package dev.muster.job;

/**
 * A handler as its nodes publish it.
 *
 * @param options the options of its jobs, for requests and crons that do not set them
 * @param tenants whether callers that belong to a tenant may start its jobs; false if only some of its nodes say so
 */
public record HandlerInfo(JobOptions options, boolean tenants) {}
