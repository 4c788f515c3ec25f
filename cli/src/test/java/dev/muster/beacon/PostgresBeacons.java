package dev.muster.beacon;

import dev.muster.beacon.Beacons.Light;
import dev.muster.postgres.internal.PostgresPort;
import dev.muster.postgres.internal.db.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Opens the port to the table of lights. */
public final class PostgresBeacons implements PostgresPort<BeaconStore> {

    @Override
    public Class<BeaconStore> type() {
        return BeaconStore.class;
    }

    @Override
    public BeaconStore open(Context context) {
        return new Table(context.database());
    }

    private record Table(Database database) implements BeaconStore {

        @Override
        public void show(Light light) {
            run(
                    "INSERT INTO beacons (name, colour, node) VALUES (?, ?, ?)",
                    light.name(),
                    light.colour(),
                    light.node());
        }

        @Override
        public void putOut(String node) {
            run("DELETE FROM beacons WHERE node = ?", node);
        }

        @Override
        public void putOut(Connection tx, String node) throws SQLException {
            run(tx, "DELETE FROM beacons WHERE node = ?", node);
            run(tx, "INSERT INTO put_out (node, xact) VALUES (?, pg_current_xact_id()::xid::text)", node);
        }

        private void run(String sql, String... values) {
            try (Connection connection = database.connection()) {
                run(connection, sql, values);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void run(Connection connection, String sql, String... values) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setString(i + 1, values[i]);
                }
                statement.executeUpdate();
            }
        }

        @Override
        public List<Light> list() {
            List<Light> lights = new ArrayList<>();
            try (Connection connection = database.connection();
                    PreparedStatement statement =
                            connection.prepareStatement("SELECT name, colour, node FROM beacons ORDER BY name, node");
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    lights.add(new Light(rows.getString(1), rows.getString(2), rows.getString(3)));
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return lights;
        }
    }
}
