package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;

/**
 * A type with parameters, which no {@code Class} can name: {@code new TypeRef<List<Order>>() {}}, with the braces.
 *
 * @param <T> the type
 */
public abstract class TypeRef<T> {
    private final Type type;

    /** @throws MusterException if the type parameter is missing or is itself a type variable */
    protected TypeRef() {
        if (!(getClass().getGenericSuperclass() instanceof ParameterizedType made)
                || made.getRawType() != TypeRef.class) {
            throw new MusterException("a TypeRef is made with the type and braces: new TypeRef<List<Order>>() {}");
        }
        this.type = made.getActualTypeArguments()[0];
        refuseVariables(type);
    }

    private void refuseVariables(Type part) {
        if (part instanceof TypeVariable<?>) {
            String where = part == type ? "" : " in " + type.getTypeName();
            throw new MusterException("a TypeRef needs a type, and " + part.getTypeName() + where
                    + " is only a name for one: write new TypeRef<List<Order>>() {} where the type is known");
        }
        for (Type inside : parts(part)) {
            refuseVariables(inside);
        }
    }

    private static Type[] parts(Type type) {
        if (type instanceof ParameterizedType parameterized) {
            Type owner = parameterized.getOwnerType();
            Type[] arguments = parameterized.getActualTypeArguments();
            if (owner == null) {
                return arguments;
            }
            Type[] all = Arrays.copyOf(arguments, arguments.length + 1);
            all[arguments.length] = owner;
            return all;
        }
        if (type instanceof GenericArrayType array) {
            return new Type[] {array.getGenericComponentType()};
        }
        if (type instanceof WildcardType wildcard) {
            Type[] lower = wildcard.getLowerBounds();
            return lower.length > 0 ? lower : wildcard.getUpperBounds();
        }
        return new Type[0];
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
