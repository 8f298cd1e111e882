package dev.weir.testkit.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

class MutationRunTest {
  private static final SeedRequest CREATE =
      new SeedRequest("PUT", "/$index/_create/91", "{\"n\":1}");

  /** The paths of the documents, which a node and the gateway in front of it both see. */
  private final Set<String> documents = ConcurrentHashMap.newKeySet();

  /**
   * Starts a server that creates a document once and refuses it from then on.
   *
   * @param created its status for a document that it created
   */
  private HttpServer start(int created) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> respond(exchange, created));
    server.start();
    return server;
  }

  private void respond(HttpExchange exchange, int created) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      String path = exchange.getRequestURI().getPath();
      int status = 200;
      if (path.contains("/_create/")) {
        status = documents.add(path) ? created : 409;
      } else if (exchange.getRequestMethod().equals("DELETE")) {
        documents.removeIf(each -> each.startsWith(path + "/"));
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private MutationReport compare(int createdByGateway) throws IOException {
    HttpServer node = start(201);
    HttpServer gateway = start(createdByGateway);
    try (RestClient admin =
        new RestClient(URI.create("http://127.0.0.1:" + node.getAddress().getPort()))) {
      MutationRun run = new MutationRun(admin, gateway.getAddress(), line -> {});
      run.compare(CREATE, "left", "right");
      return run.report(1);
    } finally {
      node.stop(0);
      gateway.stop(0);
    }
  }

  @Test
  void reportAWriteThatFailsAlthoughItWasDone() throws Exception {
    assertThat(compare(500).differences())
        .singleElement()
        .asString()
        .startsWith("node 201, gateway 500 for PUT");
  }

  @Test
  void reportNothingForTheSameResponse() throws Exception {
    assertThat(compare(201).differences()).isEmpty();
  }

  @Test
  void recognizeReads() {
    assertThat(new SeedRequest("POST", "/$index/_search?size=1", "").isRead()).isTrue();
    assertThat(new SeedRequest("HEAD", "/$index/_doc/1", "").isRead()).isTrue();
    assertThat(CREATE.isRead()).isFalse();
    assertThat(new SeedRequest("POST", "/_bulk?x=_search", "").isRead()).isFalse();
  }
}
