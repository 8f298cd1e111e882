package dev.weir.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.SmallGateway;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A gateway with the default heap survives bodies that become far larger when they are parsed, and
 * requests with thousands of failing items. It answers as a node does, and others are served
 * meanwhile.
 */
@Drawn(oneIn = 4)
class HostileBodiesIT {
  private static final String INDEX = "hostile-bodies";
  private static final int AT_ONCE = 3;
  private static final int EXCERPT = 300;

  /** Their body has 30 MB; parsed, with a failure for each item, a node of 512 MB has no room. */
  private static final int LARGE_ITEMS = 700_000;

  private final RestClient node = new RestClient(SharedCluster.get().node(0).httpUri());
  private volatile boolean isOver;

  private record Hostile(String path, String body) {}

  private static Map<String, Hostile> requests() {
    String found = "/" + INDEX;
    Map<String, Hostile> all = new LinkedHashMap<>();
    all.put("ids in a missing index", new Hostile("/missing/_mget", ids(8000)));
    all.put(
        "more ids in a missing index than the gateway takes",
        new Hostile("/missing/_mget", ids(40_000)));
    all.put(
        "documents in as many missing indices",
        new Hostile(
            "/_mget",
            join("{\"docs\":[", 5000, i -> "{\"_index\":\"m" + i + "\",\"_id\":\"1\"}", "]}")));
    all.put(
        "documents with failures of the node",
        new Hostile(
            found + "/_mget",
            join("{\"docs\":[", 4000, i -> "{\"_id\":\"1\",\"version\":" + (99 + i) + "}", "]}")));
    all.put(
        "searches of a missing index",
        new Hostile("/_msearch", "{\"index\":\"missing\"}\n{\"size\":0}\n".repeat(4000)));
    all.put(
        "searches that fail on their shards",
        new Hostile(found + "/_msearch", "{}\n{\"sort\":[\"unmapped\"]}\n".repeat(800)));
    all.put(
        "clauses",
        new Hostile(
            found + "/_search",
            join(
                "{\"query\":{\"bool\":{\"should\":[",
                60_000,
                i -> "{\"term\":{\"f\":\"" + i + "\"}}",
                "]}}}")));
    all.put(
        "terms",
        new Hostile(
            found + "/_count",
            join("{\"query\":{\"terms\":{\"f\":[", 200_000, Integer::toString, "]}}}")));
    return all;
  }

  private static String ids(int count) {
    return join("{\"ids\":[", count, i -> "\"" + i + "\"", "]}");
  }

  private static String join(String before, int count, IntFunction<String> item, String after) {
    return IntStream.range(0, count).mapToObj(item).collect(Collectors.joining(",", before, after));
  }

  @Test
  void answerLikeANodeAndSurvive() {
    String document = "{\"index\":{\"_id\":\"1\"}}\n{\"f\":\"v\",\"day\":\"2026-01-01\"}\n";
    node.send("POST", "/" + INDEX + "/_bulk?refresh=true", document).orThrow();
    try (SmallGateway gateway = SmallGateway.inFrontOf(SharedCluster.get().seeds());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletableFuture<List<Integer>> neighbour =
          CompletableFuture.supplyAsync(() -> readAgainAndAgain(gateway.rest()), threads);
      try {
        requests().forEach((name, request) -> compare(name, request, gateway.rest()));
        assertThat(sendAllAtOnce(gateway.rest(), threads)).isSubsetOf(200, 400, 429, 503);
      } finally {
        isOver = true;
      }
      gateway.assertAlive();
      assertThat(neighbour.join()).hasSizeGreaterThan(1).containsOnly(200);
      gateway.assertNothingHeld();
    } finally {
      node.send("DELETE", "/" + INDEX);
      node.close();
    }
  }

  @Test
  void sendNoNodeABodyThatWouldEndItsProcess() {
    String body =
        "{\"docs\":["
            + "{\"_index\":\"no-such-index\",\"_id\":\"1\"},".repeat(LARGE_ITEMS)
            + "{\"_index\":\"no-such-index\",\"_id\":\"1\"}]}";
    try (SmallGateway gateway = SmallGateway.inFrontOf(SharedCluster.get().seeds())) {
      RestReply refused = send(gateway.rest(), new Hostile("/_mget", body));

      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.body())
          .contains("circuit_breaking_exception", "40 % of the smallest heap of a node");
      for (DataNode one : SharedCluster.get().nodes()) {
        assertThat(one.isAlive()).as(one.name()).isTrue();
      }
      gateway.assertAlive();
      gateway.assertNothingHeld();
    } finally {
      node.close();
    }
  }

  private void compare(String name, Hostile request, RestClient gateway) {
    RestReply expected = send(node, request);
    RestReply actual = send(gateway, request);
    assertThat(actual.status()).as(name).isEqualTo(expected.status());
    if (actual.status() == 200) {
      String got = withoutTimesAndNodes(actual.body());
      String wanted = withoutTimesAndNodes(expected.body());
      int same = Arrays.mismatch(got.toCharArray(), wanted.toCharArray());
      assertThat(same)
          .as(() -> "%s: got %s (expected: %s)".formatted(name, at(got, same), at(wanted, same)))
          .isEqualTo(-1);
    }
  }

  private static String at(String text, int position) {
    return text.substring(
        Math.max(0, position - EXCERPT), Math.min(text.length(), position + EXCERPT));
  }

  private static String withoutTimesAndNodes(String body) {
    return body.replaceAll("\"took\":\\d+", "\"took\":0")
        .replaceAll("\"node\":\"[^\"]+\"", "\"node\":\"any\"");
  }

  /** Sends each request several times, all at once; returns the statuses. */
  private static List<Integer> sendAllAtOnce(RestClient gateway, ExecutorService threads) {
    List<CompletableFuture<Integer>> responses = new ArrayList<>();
    for (Hostile request : requests().values()) {
      for (int i = 0; i < AT_ONCE; i++) {
        responses.add(
            CompletableFuture.supplyAsync(() -> send(gateway, request).status(), threads));
      }
    }
    return responses.stream().map(CompletableFuture::join).distinct().toList();
  }

  private List<Integer> readAgainAndAgain(RestClient gateway) {
    List<Integer> statuses = new ArrayList<>();
    while (!isOver) {
      statuses.add(gateway.send("GET", "/" + INDEX + "/_doc/1").status());
    }
    return statuses;
  }

  private static RestReply send(RestClient client, Hostile request) {
    return client.send("POST", request.path(), request.body());
  }
}
