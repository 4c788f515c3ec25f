package dev.muster.runtime;

/**
 * The state of a service.
 *
 * @param ok whether the service works
 * @param detail one line for an operator; empty when there is nothing to say
 */
public record Health(boolean ok, String detail) {
    public static final Health OK = new Health(true, "");

    public static Health failing(String detail) {
        return new Health(false, detail);
    }
}
