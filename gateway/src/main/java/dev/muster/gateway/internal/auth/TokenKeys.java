package dev.muster.gateway.internal.auth;

import dev.muster.gateway.internal.route.Refusal;

/** Where the issuer's keys come from. */
interface TokenKeys {

    /** @throws Refusal with 503 if no keys were read so far */
    KeySet current();

    /**
     * No key of the set fits a token: there may be newer ones.
     *
     * @return the same set if there are none, or if it is too early to look again
     * @throws Refusal with 503 if the keys are being read, and that takes long
     */
    KeySet newerThan(KeySet tried);
}
