package dev.muster.json.jackson3;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.util.JsonGeneratorDelegate;

/** Refuses NaN and infinity, which Jackson would write as text that {@code read} then refuses. */
final class FiniteGenerator extends JsonGeneratorDelegate {

    FiniteGenerator(JsonGenerator generator) {
        super(generator, false);
    }

    @Override
    public JsonGenerator writeNumber(double value) {
        requireFinite(value);
        return super.writeNumber(value);
    }

    @Override
    public JsonGenerator writeNumber(float value) {
        requireFinite(value);
        return super.writeNumber(value);
    }

    @Override
    public JsonGenerator writeArray(double[] values, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            requireFinite(values[i]);
        }
        return super.writeArray(values, offset, length);
    }

    private void requireFinite(double value) {
        if (!Double.isFinite(value)) {
            throw new StreamWriteException(this, "the number " + value + " cannot be written as JSON");
        }
    }
}
