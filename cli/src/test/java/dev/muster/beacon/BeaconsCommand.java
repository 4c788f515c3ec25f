package dev.muster.beacon;

import dev.muster.cli.CommandProvider;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code muster beacons}. */
@Command(name = "beacons", description = "List the lights of all nodes.")
public final class BeaconsCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /** Adds the command. */
    public static final class Provider implements CommandProvider {
        @Override
        public Object command() {
            return new BeaconsCommand();
        }
    }

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            List<Beacons.Light> lights = session.muster().api(Beacons.class).list();
            output.print(() -> document(lights), () -> table(lights));
        }
        return ExitCode.DONE;
    }

    private static List<@Nullable Object> document(List<Beacons.Light> lights) {
        return JsonObjectWriter.list(
                lights,
                light -> new JsonObjectWriter()
                        .put("name", light.name())
                        .put("colour", light.colour())
                        .put("node", light.node())
                        .done());
    }

    private static String table(List<Beacons.Light> lights) {
        Table table = new Table("NAME", "COLOUR", "NODE");
        lights.forEach(light -> table.row(light.name(), light.colour(), light.node()));
        return table.toString();
    }
}
