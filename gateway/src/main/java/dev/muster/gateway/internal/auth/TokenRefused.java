package dev.muster.gateway.internal.auth;

/** A token is not accepted. The reason is for the log; the caller learns only that the token is wrong. */
final class TokenRefused extends Exception {
    private static final long serialVersionUID = 1L;

    TokenRefused(String reason) {
        super(reason, null, false, false);
    }
}
