package dev.muster.examples.spring;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.examples.spring.Orders.NewOrder;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflows;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"spring.main.banner-mode=off", "logging.level.root=warn"})
@MusterTest
class SpringShopIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Autowired
    private Orders orders;

    @Value("${local.server.port}")
    private int port;

    private String state(long id) {
        return orders.find(id).orElseThrow().state();
    }

    @Test
    void anOrderIsCheckedOutAndClosed(Jobs jobs, TestDatabase database) throws Exception {
        String answer = send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"customer\": \"Ada\", \"cents\": 4200}")));
        long id = Long.parseLong(answer.replaceAll("\\D", ""));

        await().atMost(SOON).until(() -> state(id).equals("shipped"));
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_job_history WHERE name = 'confirm_order'"
                                + " AND result #>> '{}' = 'mail to Ada'")
                        == 1);
        assertThat(jobs.await(jobs.enqueue(JobRequest.of("close_orders")), SOON))
                .isCompleted();
        assertThat(state(id)).isEqualTo("closed");
    }

    @Test
    void anOrderThatCannotBePaidIsCancelled() {
        long id = orders.place(new NewOrder("Bob", 2_000_000));

        await().atMost(SOON).until(() -> state(id).equals("cancelled"));
    }

    @Test
    void aDeliveryThatNobodyConfirmsIsNoticedAfterThreeDays(Workflows workflows, FakeClock clock) {
        JobId id = workflows.start(Checkout.CHECKOUT, new Checkout.Input(7, 4200));
        await().until(() -> workflows.find(id).orElseThrow().awaiting().contains("delivered"));
        clock.advance(Duration.ofDays(3));
        RunInfo run = workflows.await(id, Duration.ofMinutes(1));
        assertThat(workflows.result(Checkout.CHECKOUT, run)).isEqualTo("receipt-7, not delivered within three days");
    }

    @Test
    void aKeyWithoutALoginReachesTheGateway(Muster muster) throws Exception {
        String key =
                muster.apiKeys().create(KeyRequest.of("billing", Scope.READ)).key();
        assertThat(send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/muster/_api/me"))
                        .header("X-API-Key", key)))
                .contains("read");
    }

    @Test
    void operatorsSeeTheDashboard() throws Exception {
        String page = send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/muster/"))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString("ops:ops".getBytes(StandardCharsets.UTF_8))));
        assertThat(page).contains("importmap");
    }

    private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }
}
