package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;

/**
 * A type with parameters, which no {@code Class} can name: {@code new TypeRef<List<Order>>() {}}, with the braces.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
    private final Type type;

    /** @throws MusterException if it says no type, or one that is not known where it is written */
    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType made)
                || made.getRawType() != TypeRef.class) {
            throw new MusterException("a TypeRef is made with the type and braces: new TypeRef<List<Order>>() {}");
        }
        this.type = made.getActualTypeArguments()[0];
        if (type instanceof TypeVariable<?>) {
            throw new MusterException("a TypeRef needs a type, and " + type.getTypeName()
                    + " is only a name for one: write new TypeRef<List<Order>>() {} where the type is known");
        }
    }

    /** The type between the brackets. */
    public final Type type() {
        return type;
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof TypeRef<?> ref && ref.type.equals(type);
    }

    @Override
    public final int hashCode() {
        return type.hashCode();
    }

    @Override
    public final String toString() {
        return type.getTypeName();
    }
}
