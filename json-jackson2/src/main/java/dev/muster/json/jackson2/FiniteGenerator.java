package dev.muster.json.jackson2;

import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.JsonGeneratorDelegate;
import java.io.IOException;

/** Refuses NaN and infinity, which Jackson would write as text that {@code read} then refuses. */
final class FiniteGenerator extends JsonGeneratorDelegate {

    FiniteGenerator(JsonGenerator generator) {
        super(generator, false);
    }

    @Override
    public void writeNumber(double value) throws IOException {
        requireFinite(value);
        super.writeNumber(value);
    }

    @Override
    public void writeNumber(float value) throws IOException {
        requireFinite(value);
        super.writeNumber(value);
    }

    @Override
    public void writeArray(double[] values, int offset, int length) throws IOException {
        for (int i = offset; i < offset + length; i++) {
            requireFinite(values[i]);
        }
        super.writeArray(values, offset, length);
    }

    private void requireFinite(double value) throws IOException {
        if (!Double.isFinite(value)) {
            throw new JsonGenerationException("the number " + value + " cannot be written as JSON", this);
        }
    }
}
