package dev.muster.config;

import java.util.regex.Pattern;

/** Keeps passwords and keys out of what people see, also those inside a database URL or under a misspelt key. */
final class Secrets {
    static final String MASK = "******";

    private static final int SHOWN_AT_MOST = 140;
    private static final Pattern PARAMETER = Pattern.compile("(?i)(password=)[^&\\s]*");
    private static final Pattern USER_INFO = Pattern.compile("(://[^/:@\\s]*:)[^/\\s]*@");
    private static final Pattern SECRET_NAME = Pattern.compile("(?i).*(pass|pasw|pw|secret|token|crypt|keys?$).*");

    // 32 bytes in base64, wherever they were put by mistake.
    private static final Pattern KEY = Pattern.compile("(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=");

    private Secrets() {}

    /** The text without the passwords and keys in it. */
    static String hide(String text) {
        String hidden = PARAMETER.matcher(KEY.matcher(text).replaceAll(MASK)).replaceAll("$1" + MASK);
        return USER_INFO.matcher(hidden).replaceAll("$1" + MASK + "@");
    }

    /** A value as a message shows it: text in quotes, not endless, without passwords. */
    static String quote(Object raw) {
        String text = hide(String.valueOf(raw));
        String shown = text.length() > SHOWN_AT_MOST ? text.substring(0, SHOWN_AT_MOST) + "…" : text;
        return raw instanceof String ? '"' + shown + '"' : shown;
    }

    /** The value of a key nobody knows, hidden when the key sounds like a secret. */
    static String quoteUnknown(String key, Object raw) {
        return SECRET_NAME.matcher(key).matches() ? MASK : quote(raw);
    }
}
