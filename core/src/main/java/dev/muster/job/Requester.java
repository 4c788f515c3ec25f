package dev.muster.job;

import dev.muster.runtime.NamePatterns;
import java.util.Optional;

/**
 * Who asks for a job over HTTP, as far as it decides what they may ask for.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @param tenant the tenant that they belong to
 * @param names what they may start by its name
 * @hidden
 */
public record Requester(Optional<String> tenant, NamePatterns names) {
    /**
     * Metadata of jobs that a caller of a tenant has asked for: the tenant. Nobody else can write it, unlike the metadata {@code tenant}, which
     * the application gives to jobs that a tenant may see.
     */
    public static final String TENANT = "muster.tenant";
}
