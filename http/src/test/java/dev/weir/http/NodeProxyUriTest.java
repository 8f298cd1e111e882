package dev.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestRouter;
import dev.weir.testkit.fixtures.RawHttpConnection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The URIs of requests that pass through. */
class NodeProxyUriTest {
  /** With bytes that are not ASCII: a node, and so the gateway, takes each for a character. */
  private static final String RAW = "/i/_explain/\u00c3\u00a9";

  @Test
  void nameTheSameDocumentAsThoseOfCoordinatedRequests() throws Exception {
    CompletableFuture<ScriptedNode.Request> seen = new CompletableFuture<>();
    try (ScriptedNode node =
        new ScriptedNode(conversation -> {
          seen.complete(conversation.read());
          conversation.answer(200, "from the node");
        })) {
      HttpServerFixture.Setup setup = HttpServerFixture.echoing();
      setup.router =
          (method, uri) ->
              method.equals("GET")
                  ? new RequestRouter.Coordinate("test")
                  : new RequestRouter.PassThrough("test");
      setup.nodes = List.of(node.address());
      try (HttpServerFixture rig = setup.start();
          RawHttpConnection wire = rig.connect()) {
        wire.send(RawHttpConnection.get(RAW));
        assertThat(wire.read().text()).isEqualTo("GET " + RAW + " ");
        wire.send(RawHttpConnection.post(RAW, "{}"));
        assertThat(wire.read().text()).isEqualTo("from the node");
        String line = HttpServerFixture.await(seen).line();
        assertThat(line).isEqualTo("POST /i/_explain/%C3%83%C2%A9 HTTP/1.1");
        assertThat(URLDecoder.decode(line, StandardCharsets.UTF_8)).contains(" " + RAW + " ");
      }
    }
  }
}
