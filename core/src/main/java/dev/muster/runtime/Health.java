package dev.muster.runtime;

/**
 * How a service is doing.
 *
 * @param ok whether it works
 * @param detail one line for an operator; empty when there is nothing to say
 */
public record Health(boolean ok, String detail) {
    public static final Health OK = new Health(true, "");

    public static Health failing(String detail) {
        return new Health(false, detail);
    }
}
