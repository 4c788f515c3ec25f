package dev.muster.gateway.internal;

import dev.muster.access.Caller;
import dev.muster.gateway.GatewayServlet;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A request as the server got it.
 *
 * @param basePath what stands before the paths of the routes: nothing, or the path of the {@link GatewayServlet}
 * @param path the parameters in the path, decoded
 * @param query the parameters behind the path, decoded; throws if they cannot be
 * @param header the header of a name, in any case
 * @param known who sends it, if a web server around this one has found that out; null if the header has to show it
 * @param address where it came from
 * @param length the length that the caller announced; −1 if none
 */
record Request(
        String basePath,
        Map<String, String> path,
        Supplier<Map<String, List<String>>> query,
        UnaryOperator<@Nullable String> header,
        @Nullable Caller known,
        String address,
        long length,
        Supplier<InputStream> body) {}
