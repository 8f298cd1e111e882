package dev.weir.it.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.rehearsal.RehearsalRequest;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Records a real node's responses to every scene of the rehearsal, in the file that the property
 * names. Run it manually when the scenes or OpenSearch's version have changed.
 */
@EnabledIfSystemProperty(
    named = RecordRehearsalIT.FILE,
    matches = ".+",
    disabledReason = "writes a file of the sources")
class RecordRehearsalIT {
  static final String FILE = "weir.rehearsal.recording";

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @Test
  void recordsEveryScene(@TempDir Path folder) throws Exception {
    Random random = TestSeed.random(RecordRehearsalIT.class);
    int seen = Ports.findFree(random);
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .withName(RehearsalRequest.INDEX)
            .mapNodes(node ->
                node.withoutPlugins()
                    .withSetting("transport.publish_port", Integer.toString(seen)));
    try (DataNodeCluster nodes = DataNodeCluster.start(spec)) {
      DataNode node = nodes.node(0);
      fill(node.httpUri());
      try (RecordingTransportProxy tee =
          RecordingTransportProxy.start(
              seen, new InetSocketAddress("127.0.0.1", node.transportPort()))) {
        play(folder, seen, random);
        tee.recording().write(Files.newOutputStream(Path.of(System.getProperty(FILE))));
      }
    }
  }

  private static void fill(URI node) {
    try (RestClient rest = new RestClient(node)) {
      rest.send("PUT", "/" + RehearsalRequest.INDEX, RehearsalRequest.INDEX_BODY).orThrow();
      rest.send("POST", "/_bulk?refresh=true", RehearsalRequest.bulkBody()).orThrow();
    }
  }

  private void play(Path folder, int seed, Random random) throws Exception {
    int port = Ports.findFree(random);
    int admin = Ports.findFree(random);
    Path config =
        Files.writeString(
            folder.resolve("weir.yaml"),
            """
            clusters: {main: {seeds: ["127.0.0.1:%d"], authorization: none}}
            http: {listen: "127.0.0.1:%d"}
            admin: {listen: "127.0.0.1:%d"}
            """
                .formatted(seed, port, admin));
    try (GatewayChildProcess gateway =
        GatewayChildProcess.start(config, folder.resolve("gateway.log"))) {
      gateway.awaitReady(URI.create("http://127.0.0.1:" + admin));
      for (RehearsalRequest scene : RehearsalRequest.allRequests()) {
        assertThat(status(scene, port)).as(scene.name()).isEqualTo(scene.status());
      }
    }
  }

  private int status(RehearsalRequest scene, int port) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + scene.path()))
            .method(scene.method(), BodyPublishers.ofString(scene.body()))
            .header("Content-Type", "application/json")
            .header("X-Opaque-Id", scene.name())
            .build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }
}
