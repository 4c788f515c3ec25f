package dev.muster.config;

/** Says why a value is not allowed, in a phrase that follows the value: "is too small". Never leaves this package. */
final class BadValue extends Exception {
    private static final long serialVersionUID = 1L;

    BadValue(String reason) {
        super(reason, null, false, false);
    }

    String reason() {
        return String.valueOf(getMessage());
    }
}
