package dev.muster.embedded;

import java.nio.file.Path;
import java.util.List;

/** Starts a server, tells its process and folder on standard output, and waits to be killed. */
final class ServerInAnotherJvm {
    static final String AS_NOBODY = "as nobody";

    private ServerInAnotherJvm() {}

    public static void main(String[] arguments) throws Exception {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
        if (List.of(arguments).equals(List.of(AS_NOBODY))) {
            builder.installation(Installation.install(Cache.ofUser(), ServerUser.NOBODY));
        } else if (arguments.length > 0) {
            builder.dataDirectory(Path.of(arguments[0])).durable(true);
        }
        EmbeddedPostgres server = builder.start();
        System.out.println(server.pid() + " " + server.keeper().pid() + " " + server.dataDirectory());
        new Sql(server.jdbcUrl()).execute("CREATE TABLE kept AS SELECT 42 AS answer");
        System.out.println("ready");
        System.in.read();
    }
}
