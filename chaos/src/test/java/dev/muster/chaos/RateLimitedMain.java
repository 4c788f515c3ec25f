package dev.muster.chaos;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Map;

/**
 * Takes permits of a rate limit. The arguments are the URL of the database, {@code rate_limit.mode}, the permits of a window and its
 * milliseconds. A number on standard input is how many calls to make; the answer is how many were allowed.
 */
final class RateLimitedMain {
    static final RateKey KEY = RateKey.global("sms");

    private RateLimitedMain() {}

    public static void main(String[] arguments) throws IOException {
        RateLimit limit =
                new RateLimit(Integer.parseInt(arguments[2]), Duration.ofMillis(Long.parseLong(arguments[3])));
        Map<String, String> settings = Map.of("database.url", arguments[0], "rate_limit.mode", arguments[1]);
        try (Muster muster =
                Muster.builder().config(MusterConfig.defaults().with(settings)).build()) {
            System.out.println(NodeProcess.READY);
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
            String order;
            while ((order = orders.readLine()) != null) {
                int allowed = 0;
                for (int i = 0; i < Integer.parseInt(order); i++) {
                    allowed += muster.rateLimits().tryAcquire(KEY, limit).allowed() ? 1 : 0;
                }
                System.out.println("ALLOWED " + allowed);
            }
        }
    }
}
