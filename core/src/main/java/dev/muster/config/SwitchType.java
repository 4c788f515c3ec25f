package dev.muster.config;

/** True or false. */
record SwitchType() implements ValueType<Boolean> {

    @Override
    public Boolean parse(Object raw) throws BadValue {
        String text = String.valueOf(raw).strip();
        if (text.equals("true") || text.equals("false")) {
            return Boolean.valueOf(text);
        }
        throw new BadValue("is neither true nor false");
    }

    @Override
    public String show(Boolean value) {
        return value.toString();
    }

    @Override
    public String allowed() {
        return "true or false";
    }
}
