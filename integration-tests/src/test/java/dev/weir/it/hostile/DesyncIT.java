package dev.weir.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.SmallGateway;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.hostile.DesyncProbe;
import dev.weir.testkit.hostile.HostileClient;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The gateway and the node behind it find the same requests in the same bytes: a node executes a
 * second request only if the client gets a second response.
 */
class DesyncIT {
  /** How long a probe's connection may be silent: some of them leave the server waiting. */
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private static final int FOLLOWERS = 8;
  private static final Pattern RESPONSE = Pattern.compile("HTTP/1\\.1 (\\d{3})");

  @Test
  void findTheSameRequestsAsTheNode() {
    List<DesyncProbe> probes = DesyncProbe.all();
    List<String> smuggled = new ArrayList<>();
    try (SmallGateway gateway = SmallGateway.inFrontOf(SharedCluster.get().seeds());
        RestClient node = new RestClient(SharedCluster.get().node(0).httpUri())) {
      node.send("PUT", "/" + DesyncProbe.INDEX).orThrow();
      List<List<String>> statuses =
          probe(new InetSocketAddress("127.0.0.1", gateway.uri().getPort()), probes);
      for (int i = 0; i < probes.size(); i++) {
        boolean isThere = node.send("HEAD", DesyncProbe.document(i)).status() == 200;
        if (isThere && statuses.get(i).size() < 2) {
          smuggled.add(probes.get(i) + ": " + statuses.get(i));
        }
      }
      node.send("DELETE", "/" + DesyncProbe.INDEX);
      assertThat(smuggled).as("requests that only a node found").isEmpty();
      for (int i = 0; i < FOLLOWERS; i++) {
        RestReply reply = gateway.rest().send("GET", "/_cluster/health?filter_path=cluster_name");
        assertThat(reply.body()).isEqualTo("{\"cluster_name\":\"weir-shared\"}");
      }
      gateway.assertNothingHeld();
      gateway.assertAlive();
    }
  }

  /** Sends all probes at once; returns the statuses of the responses to each. */
  private static List<List<String>> probe(InetSocketAddress address, List<DesyncProbe> probes) {
    HostileClient client = new HostileClient(address, SILENCE);
    List<CompletableFuture<String>> received = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < probes.size(); i++) {
        byte[] bytes = probes.get(i).withDocument(i).bytes();
        received.add(CompletableFuture.supplyAsync(() -> client.exchange(bytes), threads));
      }
      return received.stream()
          .map(CompletableFuture::join)
          .map(text -> RESPONSE.matcher(text).results().map(match -> match.group(1)).toList())
          .toList();
    }
  }
}
