package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class LogContextTest {
    private static final LogContext SHOP = LogContext.of("shop-1", "Shop");

    @AfterEach
    void clear() {
        MDC.clear();
    }

    @Test
    void aLoopHasNodeNameAndComponentAndSoHaveThreadsThatItStarts() throws Exception {
        CompletableFuture<Map<String, String>> inLoop = new CompletableFuture<>();
        CompletableFuture<Map<String, String>> inThread = new CompletableFuture<>();
        Loop loop = new Loop("heartbeat", () -> {
            inLoop.complete(MDC.getCopyOfContextMap());
            new Thread(LogContext.inherit("daemon", () -> inThread.complete(MDC.getCopyOfContextMap()))).start();
            return Duration.ofHours(1);
        });

        SHOP.run("node", loop::start);

        assertThat(inLoop.get(1, TimeUnit.MINUTES))
                .isEqualTo(Map.of("node", "shop-1", "node_name", "Shop", "component", "heartbeat"));
        assertThat(inThread.get(1, TimeUnit.MINUTES))
                .isEqualTo(Map.of("node", "shop-1", "node_name", "Shop", "component", "daemon"));
        loop.stop();
    }

    @Test
    void theCallersOwnKeysAreAsBefore() {
        MDC.put("node", "of the application");
        MDC.put("request", "42");
        CompletableFuture<Map<String, String>> within = new CompletableFuture<>();

        LogContext.of("shop-1", null).run("node", () -> within.complete(MDC.getCopyOfContextMap()));

        assertThat(within.join()).isEqualTo(Map.of("node", "shop-1", "component", "node", "request", "42"));
        assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("node", "of the application", "request", "42"));
    }

    @Test
    void aThreadOfNoNodeHasAComponentOnly() throws Exception {
        MDC.put("node", "of the application");
        CompletableFuture<Map<String, String>> inThread = new CompletableFuture<>();
        new Thread(LogContext.inherit("notify", () -> inThread.complete(MDC.getCopyOfContextMap()))).start();
        assertThat(inThread.get(1, TimeUnit.MINUTES)).isEqualTo(Map.of("component", "notify"));
    }

    @Test
    void aResetLeavesTheKeysOfTheEngineOnly() {
        SHOP.run("node", () -> {
            MDC.put("tenant", "left behind");
            MDC.remove("node");
            LogContext.reset("job");
            assertThat(MDC.getCopyOfContextMap())
                    .isEqualTo(Map.of("node", "shop-1", "node_name", "Shop", "component", "job"));
        });
    }
}
