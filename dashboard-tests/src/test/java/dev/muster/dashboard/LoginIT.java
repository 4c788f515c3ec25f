package dev.muster.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The page asks for a key, keeps it in memory only, and offers what the key allows. */
class LoginIT extends InBrowser {

    private static CreatedKey create(Cluster cluster, String name, Scope scope) {
        return cluster.client().apiKeys().create(KeyRequest.of(name, scope));
    }

    @Test
    void aWrongKeyIsRefusedAndAnotherOneOpensThePage(Cluster cluster) {
        Node node = gateway(cluster, Map.of(), new Seed.Shop());
        Tab tab = open(node, Look.DESK_LIGHT).go("#/nodes");

        tab.logIn("mk_wrong");
        assertThat(tab.find("login-error")).isVisible();
        assertThat(tab.find("login-error")).not().hasText("");
        tab.logIn(create(cluster, "right", Scope.ADMIN).key());

        assertThat(tab.find("node", node.id())).isVisible();
        assertThat(tab.find("login")).isHidden();
        assertThat(tab.find("who")).containsText("admin");
        tab.assertNoProblemsBut("401");
    }

    @Test
    void aKeyThatTheBrowserCannotSendIsRefusedAtOnce(Cluster cluster) {
        Node node = gateway(cluster, Map.of(), new Seed.Shop());
        Tab tab = open(node, Look.DESK_LIGHT).go("#/nodes");

        tab.logIn("mk_0123…");
        assertThat(tab.find("login-error")).containsText("not a key");
        tab.logIn(create(cluster, "right", Scope.READ).key());

        assertThat(tab.find("node", node.id())).isVisible();
        tab.assertNoProblemsBut("401");
    }

    @Test
    void aKeyThatMayOnlyReadSeesNoActions(Cluster cluster) {
        Node node = gateway(cluster, Map.of(), new Seed.Shop());
        cluster.client().queues().pause("mail");
        Tab tab = open(node, Look.DESK_LIGHT).go("#/queues");

        tab.logIn(create(cluster, "reader", Scope.READ).key());

        assertThat(tab.find("queue", "mail")).isVisible();
        assertThat(tab.find("restriction")).containsText("read");
        for (String action : new String[] {"pause", "resume", "limit"}) {
            assertThat(tab.find(action)).hasCount(0);
        }
        tab.go("#/nodes").settle();
        assertThat(tab.find("drain")).hasCount(0);
        tab.go("#/jobs").settle();
        assertThat(tab.find("enqueue")).hasCount(0);
        tab.assertNoProblemsBut("401");
    }

    @Test
    void aRevokedKeyLeadsToTheLoginAndBackToTheSamePage(Cluster cluster) {
        Node node = gateway(cluster, Map.of(), new Seed.Shop());
        cluster.client().queues().pause("mail");
        Tab tab = open(node, Look.DESK_LIGHT).go("#/queues/mail");
        CreatedKey first = create(cluster, "first", Scope.ADMIN);
        tab.logIn(first.key());
        assertThat(tab.status("paused")).isVisible();

        cluster.client().apiKeys().revoke(first.info().id());
        assertThat(tab.find("login-error")).containsText("no longer accepted");
        String second = tab.logIn(create(cluster, "second", Scope.ADMIN).key());

        assertThat(tab.find("login")).isHidden();
        assertThat(tab.status("paused")).isVisible();
        assertThat(tab.page().url()).endsWith("#/queues/mail");
        assertIsNowhereStored(tab, second);
        assertIsNowhereStored(tab, first.key());
        tab.assertNoProblemsBut("401");
    }

    private static void assertIsNowhereStored(Tab tab, String key) {
        String stored = tab.page()
                .evaluate(
                        "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href, history.state, window.name])")
                .toString();
        assertThat(stored).doesNotContain(key);
        assertThat(tab.context().cookies()).isEmpty();
        assertThat(tab.page().content()).doesNotContain(key);
        assertThat(tab.page().locator("#login-key").count()).isZero();
    }

    @Test
    void aReloadAsksForTheKeyAgain(Cluster cluster) {
        Node node = gateway(cluster, Map.of(), new Seed.Shop());
        Tab tab = open(node, Look.PHONE_LIGHT).go("#/nodes");
        tab.logIn(create(cluster, "right", Scope.READ).key());
        assertThat(tab.find("node", node.id())).isVisible();

        tab.page().reload();

        assertThat(tab.find("login")).isVisible();
        assertThat(tab.find("node", node.id())).hasCount(0);
    }
}
