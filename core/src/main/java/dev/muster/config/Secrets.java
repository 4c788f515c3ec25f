package dev.muster.config;

import java.util.regex.Pattern;

/** Hides passwords and keys in messages and listings, also inside a database URL and under a misspelt setting. */
final class Secrets {
    static final String MASK = "******";

    private static final int SHOWN_AT_MOST = 140;
    private static final Pattern PARAMETER = Pattern.compile("(?i)(password=)[^&\\s]*");
    private static final Pattern USER_INFO = Pattern.compile("(://[^/:@\\s]*:)[^/\\s]*@");
    private static final Pattern SECRET_NAME = Pattern.compile("(?i).*(pass|pasw|pw|secret|token|crypt|keys?$).*");

    // 32 bytes in base64, hidden wherever they were put by mistake.
    private static final Pattern KEY = Pattern.compile("(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{43}=");

    private Secrets() {}

    /** The text without the passwords and keys in it. */
    static String hide(String text) {
        String hidden = PARAMETER.matcher(KEY.matcher(text).replaceAll(MASK)).replaceAll("$1" + MASK);
        return USER_INFO.matcher(hidden).replaceAll("$1" + MASK + "@");
    }

    /** A value as messages show it: text in quotes, shortened if long, without passwords. */
    static String quote(Object raw) {
        String text = hide(String.valueOf(raw));
        String shown = text.length() > SHOWN_AT_MOST ? text.substring(0, SHOWN_AT_MOST) + "…" : text;
        return raw instanceof String ? '"' + shown + '"' : shown;
    }

    /** The value of an unknown setting, hidden if its name sounds like a secret. */
    static String quoteUnknown(String key, Object raw) {
        return SECRET_NAME.matcher(key).matches() ? MASK : quote(raw);
    }
}
