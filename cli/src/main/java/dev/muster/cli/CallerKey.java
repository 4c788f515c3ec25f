package dev.muster.cli;

import java.util.regex.Pattern;

/**
 * Lets people write {@code --key} for {@code --api-key}. A few commands have a {@code --key} of their own, the idempotency key; what looks
 * like an API key or a token is never meant as one.
 */
final class CallerKey {
    private static final Pattern SHOWN = Pattern.compile("mk_[a-z0-9]{12}_\\S+|eyJ[\\w-]+\\.\\S+");

    private CallerKey() {}

    /** The arguments, with {@code --key} replaced where its value is an API key or a token. */
    static String[] named(String[] arguments) {
        String[] named = arguments.clone();
        for (int i = 0; i < named.length; i++) {
            boolean next = i + 1 < named.length;
            if (named[i].equals("--key") && next && SHOWN.matcher(named[i + 1]).matches()) {
                named[i] = "--api-key";
            } else if (named[i].startsWith("--key=")
                    && SHOWN.matcher(named[i].substring("--key=".length())).matches()) {
                named[i] = "--api-" + named[i].substring("--".length());
            }
        }
        return named;
    }
}
