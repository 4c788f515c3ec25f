package dev.muster.examples.shop;

import dev.muster.runtime.MusterException;
import java.time.Duration;

/** Whoever takes the money. Asking twice with one reference charges once. */
@FunctionalInterface
public interface PaymentProvider {

    /**
     * @return the provider's receipt
     * @throws CardDeclined if no later attempt can succeed
     * @throws Busy if the provider says when to come back
     */
    String charge(String reference, long cents);

    /** The customer's bank says no. */
    final class CardDeclined extends MusterException {
        private static final long serialVersionUID = 1L;

        public CardDeclined(String message) {
            super(message);
        }
    }

    /** Too many requests. */
    final class Busy extends MusterException {
        private static final long serialVersionUID = 1L;
        private final Duration comeBackIn;

        public Busy(Duration comeBackIn) {
            super("the payment provider is busy");
            this.comeBackIn = comeBackIn;
        }

        Duration comeBackIn() {
            return comeBackIn;
        }
    }
}
