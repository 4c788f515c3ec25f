package dev.muster.config;

import java.util.regex.Pattern;

/** The name of an executor. */
record ExecutorNameType() implements ValueType<String> {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,39}");

    @Override
    public String parse(Object raw) throws BadValue {
        if (!(raw instanceof String text)) {
            throw new BadValue("is not text; write it in quotes");
        }
        String name = text.strip();
        if (name.equals(RoutingConfig.NO_EXECUTOR)) {
            throw new BadValue(
                    "is refused: no executor can be named none, because routing.default = \"none\" means no executor");
        }
        if (!NAME.matcher(name).matches()) {
            throw new BadValue("is not the name of an executor");
        }
        return name;
    }

    @Override
    public String show(String value) {
        return value;
    }

    @Override
    public String allowed() {
        return "the name of an executor, which starts with a-z and holds only a-z, 0-9, '_' and '-', 40 characters at most";
    }
}
