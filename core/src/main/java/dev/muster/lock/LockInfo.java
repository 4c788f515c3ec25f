package dev.muster.lock;

import java.time.Instant;

/** A lock that is held, as its row says. */
public record LockInfo(String name, String node, Instant lockedAt, Instant expiresAt, long token) {}
