package dev.muster.gateway.internal.rest;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tag of a version of something, as the headers {@code ETag} and {@code If-Match} have it (RFC 9110).
 *
 * @param weak whether it stands for versions that are as good as the same
 */
record EntityTag(String text, boolean weak) {
    private static final Pattern ONE = Pattern.compile("\\s*(W/)?\"([^\"]*)\"\\s*(?:,|$)");

    static EntityTag of(String text) {
        return new EntityTag(text, false);
    }

    /** Whether the header accepts any version. */
    static boolean isAny(String header) {
        return header.strip().equals("*");
    }

    /** The tags in a header, {@code "a", W/"b"}, up to what is none. */
    static Set<EntityTag> all(String header) {
        Set<EntityTag> tags = new LinkedHashSet<>();
        Matcher matcher = ONE.matcher(header);
        while (matcher.lookingAt()) {
            tags.add(new EntityTag(matcher.group(2), matcher.group(1) != null));
            matcher.region(matcher.end(), header.length());
        }
        return tags;
    }

    @Override
    public String toString() {
        return (weak ? "W/" : "") + '"' + text + '"';
    }
}
