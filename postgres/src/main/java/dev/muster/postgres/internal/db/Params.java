package dev.muster.postgres.internal.db;

import dev.muster.internal.job.store.ClaimRef;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds parameters in order. */
public final class Params {
    private final PreparedStatement statement;
    private int index = 1;

    public Params(PreparedStatement statement) {
        this.statement = statement;
    }

    public Params text(@Nullable String value) throws SQLException {
        statement.setString(index++, value);
        return this;
    }

    public Params bytes(byte[] value) throws SQLException {
        statement.setBytes(index++, value);
        return this;
    }

    public Params flag(boolean value) throws SQLException {
        statement.setBoolean(index++, value);
        return this;
    }

    public Params number(int value) throws SQLException {
        statement.setInt(index++, value);
        return this;
    }

    public Params number(long value) throws SQLException {
        statement.setLong(index++, value);
        return this;
    }

    public Params number(double value) throws SQLException {
        statement.setDouble(index++, value);
        return this;
    }

    public Params time(OffsetDateTime value) throws SQLException {
        statement.setObject(index++, value);
        return this;
    }

    /** A number or null. */
    public Params optional(@Nullable Object value) throws SQLException {
        if (value == null) {
            statement.setNull(index++, Types.BIGINT);
        } else {
            statement.setObject(index++, value);
        }
        return this;
    }

    public Params optionalTime(@Nullable OffsetDateTime value) throws SQLException {
        if (value == null) {
            statement.setNull(index++, Types.TIMESTAMP_WITH_TIMEZONE);
        } else {
            statement.setObject(index++, value);
        }
        return this;
    }

    public Params uuid(@Nullable UUID value) throws SQLException {
        statement.setObject(index++, value, Types.OTHER);
        return this;
    }

    public Params uuids(Collection<UUID> values) throws SQLException {
        statement.setObject(index++, new UuidArray(values));
        return this;
    }

    public Params ctids(long[] values) throws SQLException {
        statement.setObject(index++, new TidArray(values));
        return this;
    }

    public Params longs(long[] values) throws SQLException {
        statement.setObject(index++, values);
        return this;
    }

    public Params shorts(short[] values) throws SQLException {
        statement.setObject(index++, values);
        return this;
    }

    public Params texts(@Nullable Collection<String> values) throws SQLException {
        if (values == null) {
            statement.setNull(index++, Types.ARRAY);
        } else {
            statement.setArray(index++, statement.getConnection().createArrayOf("text", values.toArray(String[]::new)));
        }
        return this;
    }

    /**
     * Binds an array with one element per row; the function may return null. If all elements are null, null is sent instead of
     * an array, and unnest pads it. Elements of one class are sent in binary, mixed ones as text.
     */
    public <T> Params column(String type, List<T> rows, Function<T, @Nullable Object> value) throws SQLException {
        Object[] elements = elements(type, rows.size());
        boolean some = false;
        for (int i = 0; i < elements.length; i++) {
            Object element = value.apply(rows.get(i));
            elements[i] = element instanceof Integer number && type.equals("int2") ? number.shortValue() : element;
            some |= element != null;
        }
        if (some) {
            statement.setArray(index++, statement.getConnection().createArrayOf(type, elements));
        } else {
            statement.setNull(index++, Types.ARRAY, "_" + type);
        }
        return this;
    }

    private static Object[] elements(String type, int size) {
        return switch (type) {
            case "text" -> new String[size];
            case "int2" -> new Short[size];
            case "int4" -> new Integer[size];
            case "int8" -> new Long[size];
            case "bool" -> new Boolean[size];
            default -> new Object[size];
        };
    }

    /** Runs the statement with the bound parameters. */
    public ResultSet query() throws SQLException {
        return statement.executeQuery();
    }

    /** Binds two arrays: ids and tokens. */
    public Params claims(List<ClaimRef> claims) throws SQLException {
        uuids(claims.stream().map(c -> c.id().value()).toList());
        return longs(claims.stream().mapToLong(ClaimRef::token).toArray());
    }
}
