package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.http.identity.IdentityHeaderRules;
import dev.weir.http.options.HttpSecurity;
import dev.weir.model.IpNetworks;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a node learns about a client from the headers of a request that passes through. */
class ClientIdentityTest {
  private static final String[] CLAIMS = {
    "opendistro_security_impersonate_as: worker",
    "_opendistro_security_user_header: rO0ABXNy",
    "opendistro_security_injected_roles_header: admin|all_access",
    "X-Forwarded-For: 198.51.100.1",
    "Forwarded: for=198.51.100.1",
    "x-proxy-user: admin",
    "x-proxy-roles: all_access",
    "Connection: keep-alive, x-forwarded-for, x-proxy-user"
  };

  private final BlockingQueue<ScriptedNode.Request> received = new LinkedBlockingQueue<>();

  private ScriptedNode node() throws Exception {
    return new ScriptedNode(conversation -> {
      while (true) {
        received.add(conversation.read());
        conversation.answer(
            200,
            "from the node",
            "_opendistro_security_user_header: rO0ABXNy",
            "OpenDistro_Security_Initial_Action_Class_Header: x",
            "X-Kept: 1");
      }
    });
  }

  private static HttpServerFixture.Setup trusting(String proxies, ScriptedNode node) {
    return new HttpServerFixture.Setup()
        .passThrough(node.address())
        .security(
            new HttpSecurity(
                null, new IdentityHeaderRules(IpNetworks.of(List.of(proxies)), List.of(), null)));
  }

  private ScriptedNode.Request next() throws InterruptedException {
    ScriptedNode.Request request =
        received.poll(HttpServerFixture.PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(request).as("a request at the node").isNotNull();
    return request;
  }

  @Test
  void dropClaimsOfAClient() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = trusting("127.0.0.1/32", node).start();
        RawHttpConnection wire = rig.connectFrom("127.0.0.2")) {
      wire.send(RawHttpConnection.post("/i/_doc", "{}", CLAIMS));
      assertThat(wire.read().text()).isEqualTo("from the node");
      assertThat(next().headers())
          .containsEntry("opendistro_security_impersonate_as", "worker")
          .containsEntry("X-Forwarded-For", "127.0.0.2")
          .doesNotContainKeys(
              "_opendistro_security_user_header",
              "opendistro_security_injected_roles_header",
              "Forwarded",
              "x-proxy-user",
              "x-proxy-roles");
    }
  }

  @Test
  void acceptClaimsOfATrustedProxy() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = trusting("127.0.0.0/31", node).start();
        RawHttpConnection wire = rig.connectFrom("127.0.0.1")) {
      for (int times = 0; times < 2; times++) {
        wire.send(RawHttpConnection.post("/i/_doc", "{}", CLAIMS));
        assertThat(wire.read().text()).isEqualTo("from the node");
        assertThat(next().headers())
            .containsEntry("X-Forwarded-For", "198.51.100.1, 127.0.0.1")
            .containsEntry("Forwarded", "for=198.51.100.1, for=127.0.0.1")
            .containsEntry("x-proxy-user", "admin")
            .containsEntry("x-proxy-roles", "all_access")
            .doesNotContainKeys(
                "_opendistro_security_user_header", "opendistro_security_injected_roles_header");
      }
    }
  }

  @Test
  void hideInternalHeadersOfANode() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = trusting("127.0.0.1/32", node).start();
        RawHttpConnection wire = rig.connect()) {
      wire.send(RawHttpConnection.post("/i/_doc", "{}"));
      assertThat(wire.read().head())
          .containsIgnoringCase("x-kept: 1")
          .doesNotContainIgnoringCase("opendistro");
    }
  }

  @Test
  void dropClaimsOfAnHttp2Client() throws Exception {
    try (ScriptedNode node = node();
        HttpServerFixture rig = trusting("192.0.2.0/24", node).start();
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
      for (int times = 0; times < 3; times++) {
        HttpRequest request =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + rig.address.getPort() + "/i/_count"))
                .header("X-Forwarded-For", "198.51.100.1")
                .header("x-proxy-user", "admin")
                .header("x-proxy-ext-department", "board")
                .build();
        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).body())
            .isEqualTo("from the node");
        assertThat(next().headers())
            .containsEntry("X-Forwarded-For", "127.0.0.1")
            .doesNotContainKeys("x-proxy-user", "x-proxy-ext-department");
      }
    }
  }
}
