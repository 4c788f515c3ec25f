package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.ratelimit.RateLimits;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Allows a number of calls in each window of time, for each user or for the whole cluster. A refusal says when to come back. The
 * Muster need not be started.
 *
 * <pre>
 * login 1: allowed, 2 left
 * login 2: allowed, 1 left
 * login 3: allowed, 0 left
 * login 4: refused, there is a time to wait: true
 * login of another user: allowed
 * messages to 4 people: allowed, 6 left for the cluster
 * messages to 7 people: refused, 6 left for the cluster
 * </pre>
 */
final class LimitRate implements Example {
    private static final RateLimit LOGINS = RateLimit.perHour(3);

    /** A year, so that no window ends while the example runs. */
    private static final RateLimit MESSAGES = new RateLimit(10, Duration.ofDays(366));

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster = Muster.builder().dataSource(database).build()) {
            muster.migrate();
            RateLimits limits = muster.rateLimits();
            for (int i = 1; i <= 4; i++) {
                Decision decision = limits.tryAcquire(RateKey.user("login", "ada"), LOGINS);
                out.println("login " + i + ": " + answer(decision));
            }
            boolean other =
                    limits.tryAcquire(RateKey.user("login", "bob"), LOGINS).allowed();
            out.println("login of another user: " + (other ? "allowed" : "refused"));

            for (int people : new int[] {4, 7}) {
                Decision decision = limits.tryAcquire(RateKey.global("sms"), MESSAGES, people);
                out.println("messages to " + people + " people: " + (decision.allowed() ? "allowed, " : "refused, ")
                        + decision.remaining() + " left for the cluster");
            }
        }
    }

    private static String answer(Decision decision) {
        if (!decision.allowed()) {
            boolean wait = decision.retryAfter().compareTo(Duration.ZERO) > 0;
            return "refused, there is a time to wait: " + wait;
        }
        return "allowed, " + decision.remaining() + " left";
    }
}
