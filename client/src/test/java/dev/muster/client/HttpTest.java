package dev.muster.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.client.ScriptedServer.Nobody;
import dev.muster.job.JobRequest;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.runtime.OutcomeUnknown;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpTest {
    private static final String QUEUES = "{\"queues\":[]}";
    private static final String CREATED =
            "{\"jobs\":[{\"id\":\"0198c5a2-7d1e-7c3a-9b1f-2f6d0c9e4b11\",\"created\":true}]}";

    private static MusterClient client(Duration timeout, String... servers) {
        return MusterClient.builder()
                .server(List.of(servers).stream().map(URI::create).toArray(URI[]::new))
                .key("secret")
                .timeout(timeout)
                .build();
    }

    private static MusterClient client(String... servers) {
        return client(Duration.ofMinutes(2), servers);
    }

    private static String error(String code) {
        return "{\"success\":false,\"data\":null,\"error\":{\"code\":\"" + code
                + "\",\"message\":\"no\",\"details\":null,\"retry_after_secs\":1},\"request_id\":\"r1\"}";
    }

    @Test
    void aRequestThatCannotBeSentGoesToTheNextServer() throws Exception {
        try (Nobody nobody = Nobody.open();
                ScriptedServer good = new ScriptedServer().answer(201, CREATED).answer(200, QUEUES)) {
            MusterClient client = client(nobody.address(), good.address());

            assertThat(client.jobs().submit(JobRequest.of("a")).created()).isTrue();
            assertThat(client.queues().list()).isEmpty();
            assertThat(good.requests()).containsExactly("POST /_api/jobs/many", "GET /_api/queues");
        }
    }

    @Test
    void whatReadsIsSentOnceMoreElsewhereIfTheConnectionBreaks() throws Exception {
        try (ScriptedServer bad = new ScriptedServer().hangUp();
                ScriptedServer good = new ScriptedServer().answer(200, QUEUES)) {
            assertThat(client(bad.address(), good.address()).queues().list()).isEmpty();
            assertThat(bad.requests()).containsOnly("GET /_api/queues");
        }
        try (ScriptedServer only = new ScriptedServer().hangUp().answer(200, QUEUES)) {
            assertThat(client(only.address()).queues().list()).isEmpty();
        }
    }

    @Test
    void whatMayHaveBeenExecutedIsNotSentAgain() throws Exception {
        try (ScriptedServer bad = new ScriptedServer().hangUp();
                ScriptedServer good = new ScriptedServer()) {
            MusterClient client = client(bad.address(), good.address());

            assertThatThrownBy(() -> client.jobs().submit(JobRequest.of("a")))
                    .isInstanceOfSatisfying(
                            GatewayUnavailable.class,
                            e -> assertThat(e.perhapsExecuted()).isTrue())
                    .hasMessageContaining("POST /_api/jobs/many may have been executed all the same");
            assertThat(good.requests()).isEmpty();
        }
    }

    @Test
    void whatTheClusterKnowsAgainIsSentOnceMore() throws Exception {
        try (ScriptedServer bad = new ScriptedServer().hangUp();
                ScriptedServer good = new ScriptedServer().answer(201, CREATED)) {
            MusterClient client = client(bad.address(), good.address());

            assertThat(client.jobs().submit(JobRequest.of("a").key("k")).created())
                    .isTrue();
        }
    }

    @Test
    void aBrokenConnectionIsNotTriedForever() throws Exception {
        // Without answers it hangs up each time. Java's own client tries what reads twice, too.
        try (ScriptedServer bad = new ScriptedServer()) {
            assertThatThrownBy(() -> client(bad.address()).queues().list())
                    .isInstanceOfSatisfying(
                            GatewayUnavailable.class,
                            e -> assertThat(e.perhapsExecuted()).isFalse())
                    .hasMessageContaining(bad.address());
            assertThat(bad.requests()).hasSizeLessThanOrEqualTo(4);
        }
    }

    @Test
    void aBusyGatewayIsLeftForTheNextAndThenWaitedFor() throws Exception {
        try (ScriptedServer busy = new ScriptedServer().answer(503, error("busy"), "Retry-After: 1");
                ScriptedServer good = new ScriptedServer().answer(201, CREATED)) {
            assertThat(client(busy.address(), good.address())
                            .jobs()
                            .submit(JobRequest.of("a"))
                            .created())
                    .isTrue();
        }
        try (ScriptedServer only = new ScriptedServer()
                .answer(429, error("too_many_requests"), "Retry-After: 1")
                .answer(201, CREATED)) {
            assertThat(client(only.address()).jobs().submit(JobRequest.of("a")).created())
                    .isTrue();
            assertThat(only.requests()).hasSize(2);
        }
    }

    @Test
    void waitsNoLongerThanItsTimeout() throws Exception {
        try (ScriptedServer busy = new ScriptedServer().answer(503, error("busy"), "Retry-After: 60")) {
            assertThatThrownBy(() -> client(Duration.ofSeconds(10), busy.address())
                            .queues()
                            .list())
                    .isInstanceOfSatisfying(GatewayException.class, e -> {
                        assertThat(e.code()).isEqualTo("busy");
                        assertThat(e.retryAfter()).contains(Duration.ofSeconds(1));
                        assertThat(e.requestId()).contains("r1");
                    });
        }
    }

    @Test
    void aServerThatNamesAnAbsurdPauseIsNotWaitedFor() throws Exception {
        try (ScriptedServer busy =
                new ScriptedServer().answer(429, error("too_many_requests"), "Retry-After: " + Long.MAX_VALUE)) {
            assertThatThrownBy(() -> client(busy.address()).queues().list())
                    .isInstanceOfSatisfying(
                            GatewayException.class, e -> assertThat(e.code()).isEqualTo("too_many_requests"));
        }
    }

    @Test
    void aKeyThatNoHeaderCanHaveIsRefusedAndNotShown() {
        for (String wrong : List.of("mk_sec\nret", "mk_sec ret", "mk_sec\u0000ret", "mk_secrét")) {
            assertThatThrownBy(() -> MusterClient.builder().key(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageNotContaining("mk_sec");
        }
    }

    @Test
    void theLineBreakAtTheEndOfAFileIsNoPartOfTheKey() throws Exception {
        try (ScriptedServer server = new ScriptedServer().answer(200, QUEUES)) {
            MusterClient client = MusterClient.builder()
                    .server(URI.create(server.address()))
                    .key("mk_secret\n")
                    .build();

            assertThat(client.queues().list()).isEmpty();
        }
    }

    @Test
    void aGatewayWithoutItsDatabaseHasNotExecutedTheRequest() throws Exception {
        try (ScriptedServer first = new ScriptedServer().answer(503, error("database_unavailable"), "Retry-After: 1");
                ScriptedServer second = new ScriptedServer().answer(201, CREATED)) {
            client(first.address(), second.address()).jobs().submit(JobRequest.of("a"));

            assertThat(first.requests()).hasSize(1);
            assertThat(second.requests()).hasSize(1);
        }
    }

    @Test
    void whatMayHaveBeenExecutedIsNotSentAgainAndSaysWhichIdsToLookFor() throws Exception {
        String unknown = "{\"success\":false,\"data\":null,\"error\":{\"code\":\"outcome_unknown\",\"message\":\"no\","
                + "\"details\":{\"ids\":[\"a\",\"b\"]},\"retry_after_secs\":null},\"request_id\":\"r\"}";
        try (ScriptedServer first = new ScriptedServer().answer(500, unknown).answer(500, error("outcome_unknown"));
                ScriptedServer second = new ScriptedServer()) {
            MusterClient client = client(first.address(), second.address());

            assertThatThrownBy(() -> client.jobs().submit(JobRequest.of("a")))
                    .isInstanceOfSatisfying(
                            OutcomeUnknown.class,
                            e -> assertThat(e.createdIds()).containsExactly("a", "b"));
            assertThatThrownBy(() -> client.jobs().submit(JobRequest.of("a").key("k")))
                    .isInstanceOfSatisfying(
                            OutcomeUnknown.class,
                            e -> assertThat(e.createdIds()).isEmpty());
            assertThat(first.requests()).hasSize(2);
            assertThat(second.requests()).isEmpty();
        }
    }

    @Test
    void refusalsAreThoseOfTheProcess() throws Exception {
        try (ScriptedServer server = new ScriptedServer()
                .answer(403, error("observer"))
                .answer(502, "<html>bad gateway</html>")
                .answer(200, "<html>welcome</html>")) {
            MusterClient client = client(server.address());

            assertThatThrownBy(() -> client.queues().pause("q"))
                    .isInstanceOf(ObserverRefusal.class)
                    .hasMessage("no");
            assertThatThrownBy(() -> client.queues().list())
                    .isInstanceOf(GatewayException.class)
                    .hasMessageContaining("status 502")
                    .hasMessageContaining("bad gateway");
            assertThatThrownBy(() -> client.queues().list())
                    .isInstanceOf(GatewayException.class)
                    .hasMessageContaining(server.address() + " does not answer as a gateway of Muster does");
        }
    }

    @Test
    void theAnswerOfAServerThatIsNoGatewayIsShownInOneLine() throws Exception {
        try (ScriptedServer server = new ScriptedServer().answer(404, "<html>\n  <h1>\u001b[31mgone</h1>\n</html>")) {
            assertThatThrownBy(() -> client(server.address()).queues().list())
                    .hasMessage(server.address() + " answered with status 404, and not as a gateway of Muster does:"
                            + " <html> <h1> [31mgone</h1> </html>");
        }
    }

    @Test
    void saysThatTheServerSpeaksHttpOrHttpsAndThatNothingWasExecuted() throws Exception {
        try (ScriptedServer plain = new ScriptedServer().greet("HTTP/1.1 400 Bad Request\r\n\r\n");
                ScriptedServer encrypted = new ScriptedServer().greet("\u0015\u0003\u0003\u0000\u0002\u0002P")) {
            MusterClient https = client(plain.address().replace("http:", "https:"));
            MusterClient http = client(encrypted.address());

            assertThatThrownBy(() -> https.queues().pause("q"))
                    .isInstanceOfSatisfying(
                            GatewayUnavailable.class,
                            e -> assertThat(e.perhapsExecuted()).isFalse())
                    .hasMessageEndingWith("the server speaks http, not https");
            assertThatThrownBy(() -> http.queues().pause("q"))
                    .isInstanceOfSatisfying(
                            GatewayUnavailable.class,
                            e -> assertThat(e.perhapsExecuted()).isFalse())
                    .hasMessageEndingWith("the server speaks https, not http");
        }
    }

    @Test
    void saysWhyAGatewayCannotBeReached() throws Exception {
        try (Nobody nobody = Nobody.open()) {
            assertThatThrownBy(() -> client(nobody.address()).queues().list())
                    .hasMessage("no gateway answered at " + nobody.address() + ": nobody listens there");
        }
        // Too long for a name, so that no server of names is asked.
        String nowhere = "http://" + "x".repeat(64) + ".invalid";
        assertThatThrownBy(() -> client(nowhere).queues().list())
                .hasMessage("no gateway answered at " + nowhere + ": there is no host with that name");
    }

    @Test
    void refusesAddressesThatAreNone() {
        for (String wrong :
                List.of("ftp://a", "a.example", "http:///x", "http://a?x=1", "http://a:99999", "http://a/_api/")) {
            assertThatThrownBy(() -> client(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong);
        }
        assertThatThrownBy(() -> client()).isInstanceOf(IllegalArgumentException.class);
        assertThat(client("http://a.example/muster/").toString()).isEqualTo("MusterClient[http://a.example/muster]");
    }
}
