package dev.muster.chaos;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Remembers what handlers did, in a database that no fault reaches, and holds gates that tests open and
 * handlers wait at. Every call is committed when it returns.
 */
public final class Witness implements AutoCloseable {
    private final Connection connection;

    /** One thing a handler did, in the order in which it was seen. */
    public record Effect(UUID job, String node, long token, String step) {}

    /** @param url of a database that is never faulted */
    public Witness(String url) {
        try {
            connection = DriverManager.getConnection(url);
        } catch (SQLException e) {
            throw new IllegalStateException("the witness cannot be reached", e);
        }
    }

    /** Makes the tables; once per database, before anyone testifies. */
    public Witness prepare() {
        execute("CREATE TABLE witness_effects (seq bigint GENERATED ALWAYS AS IDENTITY, job uuid NOT NULL,"
                + " node text NOT NULL, token bigint NOT NULL, step text NOT NULL,"
                + " at timestamptz NOT NULL DEFAULT clock_timestamp())");
        execute("CREATE TABLE witness_gates (name text PRIMARY KEY)");
        return this;
    }

    public synchronized void record(Effect effect) {
        String sql = "INSERT INTO witness_effects (job, node, token, step) VALUES (?, ?, ?, ?)";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setObject(1, effect.job());
            insert.setString(2, effect.node());
            insert.setLong(3, effect.token());
            insert.setString(4, effect.step());
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("the witness did not hear " + effect, e);
        }
    }

    /** What was done for a job, oldest first. */
    public synchronized List<Effect> effects(UUID job) {
        String sql = "SELECT job, node, token, step FROM witness_effects WHERE job = ? ORDER BY seq";
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setObject(1, job);
            ResultSet rows = select.executeQuery();
            List<Effect> effects = new ArrayList<>();
            while (rows.next()) {
                effects.add(new Effect(
                        rows.getObject(1, UUID.class), rows.getString(2), rows.getLong(3), rows.getString(4)));
            }
            return effects;
        } catch (SQLException e) {
            throw new IllegalStateException("the witness cannot be asked", e);
        }
    }

    /** The steps that a node took for a job, oldest first. */
    public List<String> steps(UUID job, String node) {
        return effects(job).stream()
                .filter(effect -> effect.node().equals(node))
                .map(Effect::step)
                .toList();
    }

    /** Lets everyone through who waits at this gate, now or later. */
    public synchronized void open(String gate) {
        String sql = "INSERT INTO witness_gates (name) VALUES (?) ON CONFLICT DO NOTHING";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, gate);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("gate " + gate + " cannot be opened", e);
        }
    }

    public synchronized boolean isOpen(String gate) {
        try (PreparedStatement select = connection.prepareStatement("SELECT FROM witness_gates WHERE name = ?")) {
            select.setString(1, gate);
            return select.executeQuery().next();
        } catch (SQLException e) {
            throw new IllegalStateException("gate " + gate + " cannot be seen", e);
        }
    }

    private void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
