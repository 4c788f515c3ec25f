package dev.muster.cli.internal.access;

import dev.muster.access.Scope;
import dev.muster.runtime.MusterException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses scopes and ids of keys; a wrong value is a usage error. */
final class AccessValues {
    private AccessValues() {}

    static final class OfScope implements ITypeConverter<Scope> {
        @Override
        public Scope convert(String text) {
            try {
                return Scope.parse(text);
            } catch (MusterException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    /** Somebody may give the key itself by mistake: no message repeats it. */
    static final class OfKeyId implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            if (text.startsWith("mk_")) {
                throw new TypeConversionException(
                        "give the id alone, the 12 characters between mk_ and the next _, and not the key");
            }
            if (!text.matches("[a-z0-9]{12}")) {
                throw new TypeConversionException("the id of a key is 12 characters of a-z and 0-9");
            }
            return text;
        }
    }
}
