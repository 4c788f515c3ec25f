package dev.muster.spring.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.PropertyAccessorFactory;

/** Compares the database that an address names with that of a {@code DataSource}: by host, port and name, whatever options the addresses have. */
final class SameDatabase {
    private static final Pattern ADDRESS = Pattern.compile("jdbc:postgresql:(?://([^/?]*)/)?([^?]*).*");
    private static final Pattern LOOPBACK = Pattern.compile("^(127\\.0\\.0\\.1|\\[::1])");
    private static final String USUAL_PORT = "5432";

    private SameDatabase() {}

    /** Whether they are the same as far as can be seen; false if it cannot. */
    static boolean is(String url, DataSource dataSource) {
        Optional<String> wanted = database(url);
        return wanted.isPresent()
                && address(dataSource).flatMap(SameDatabase::database).equals(wanted);
    }

    /** The address of a DataSource, as its pool says it or, if it does not, a connection; empty if neither does. */
    static Optional<String> address(DataSource dataSource) {
        BeanWrapper pool = PropertyAccessorFactory.forBeanPropertyAccess(UnderlyingDataSource.innermost(dataSource));
        for (String property : new String[] {"jdbcUrl", "url"}) {
            if (pool.isReadableProperty(property) && pool.getPropertyValue(property) instanceof String url) {
                return Optional.of(url);
            }
        }
        try (Connection connection = dataSource.getConnection()) {
            return Optional.ofNullable(connection.getMetaData().getURL());
        } catch (SQLException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** Hosts with their ports, and the name of the database; without a user's name and password. */
    static Optional<String> database(String url) {
        Matcher matcher = ADDRESS.matcher(url);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        StringBuilder hosts = new StringBuilder();
        for (String host : (matcher.group(1) == null ? "" : matcher.group(1)).split(",")) {
            String named = host.isEmpty()
                    ? "localhost"
                    : LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).replaceFirst("localhost");
            hosts.append(named)
                    .append(named.matches(".*:\\d+") ? "" : ":" + USUAL_PORT)
                    .append(' ');
        }
        return Optional.of(hosts + matcher.group(2));
    }
}
