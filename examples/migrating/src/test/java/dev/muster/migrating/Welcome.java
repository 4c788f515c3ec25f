package dev.muster.migrating;

import java.io.Serializable;

/** The arguments of a job that sends a mail. Muster writes them as JSON; db-scheduler, unless told otherwise, serialises them. */
public record Welcome(String address, long customerId) implements Serializable {}
