package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.SharedCluster;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.Index;

/** Compares the view's shard targets with a node's {@code _search_shards}. */
class CopyRankingEquivalenceIT {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final IndexNameResolver NAMES =
      new IndexNameResolver(new ThreadContext(Settings.EMPTY));
  private static final String STREAM = "clu-metrics";
  private static DataNodeCluster nodes;
  private static FollowedCluster followed;

  @BeforeAll
  static void prepare() throws Exception {
    nodes = SharedCluster.get();
    put("/clu-logs-1", "{\"settings\":{\"number_of_shards\":5,\"number_of_replicas\":1}}");
    put(
        "/clu-logs-2",
        "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":2},"
            + "\"aliases\":{\"clu-routed\":{\"routing\":\"r1\",\"filter\":{\"term\":{\"a\":1}}}}}");
    put(
        "/clu-hidden",
        "{\"settings\":{\"number_of_shards\":1,\"number_of_replicas\":1,\"hidden\":true}}");
    put(
        "/clu-parts",
        "{\"settings\":{\"number_of_shards\":6,\"number_of_replicas\":1,"
            + "\"number_of_routing_shards\":24,\"routing_partition_size\":2},"
            + "\"mappings\":{\"_routing\":{\"required\":true}}}");
    nodes
        .rest()
        .send(
            "PUT",
            "/_index_template/clu-template",
            "{\"index_patterns\":[\""
                + STREAM
                + "*\"],\"data_stream\":{},\"priority\":500,"
                + "\"template\":{\"settings\":{\"number_of_shards\":2}}}")
        .orThrow();
    nodes.rest().send("PUT", "/_data_stream/" + STREAM).orThrow();
    nodes.rest().send("POST", "/" + STREAM + "/_rollover").orThrow();
    nodes.awaitGreen();
    followed = new FollowedCluster(nodes.seeds(), REGISTRIES);
    awaitAll(followed);
  }

  @AfterAll
  static void cleanUp() {
    followed.close();
    nodes.rest().send("DELETE", "/_data_stream/" + STREAM).orThrow();
    nodes.rest().send("DELETE", "/_index_template/clu-template").orThrow();
    nodes.rest().send("DELETE", "/clu-logs-1,clu-logs-2,clu-hidden,clu-parts").orThrow();
  }

  private static void put(String path, String body) {
    nodes.rest().send("PUT", path + "?wait_for_active_shards=all", body).orThrow();
  }

  /** Waits until a gateway has seen all shards start. */
  private static void awaitAll(FollowedCluster gateway) throws InterruptedException {
    gateway.await(view ->
        view.state().metadata().dataStreams().containsKey(STREAM)
            && view.state().metadata().dataStreams().get(STREAM).getIndices().size() == 2
            && view.state().metadata().hasIndex("clu-parts")
            && view.nodes().values().stream().allMatch(node -> node.http() != null)
            && view.state().routingTable().allShards().stream().allMatch(shard -> shard.started()));
  }

  static Stream<Arguments> requests() {
    List<Arguments> all = new ArrayList<>();
    for (String names :
        List.of(
            "clu-logs-1",
            "clu-*",
            "clu-*,-clu-logs-2",
            "clu-routed",
            "clu-routed,clu-logs-1",
            STREAM,
            "<clu-logs-{now/y{'1'}}>",
            "clu-hidden",
            "clu-parts")) {
      for (String preference :
          List.of("", "_primary", "_replica", "_shards:0,2", "a session", "_prefer_nodes:NODE")) {
        all.add(Arguments.of(names, preference, ""));
        all.add(Arguments.of(names, preference, "user-1,user-2"));
      }
      all.add(Arguments.of(names, "_only_nodes:node-1,node-2,node-3", ""));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("requests")
  void answersAsSearchShardsDoes(String names, String preference, String routing) {
    ClusterView view = followed.follower().current();
    String wanted = preference.replace("NODE", nodes.node(1).id());

    assertThat(gatewaySays(view, names, wanted, routing))
        .isEqualTo(nodeSays(names, wanted, routing));
  }

  /** A gateway that knows less than the cluster has: it lacks each part of the state in turn. */
  @ParameterizedTest
  @ValueSource(strings = {"data_stream", "index_template"})
  void answersTheSameWhenPartsOfTheStateAreUnknown(String unknownPart) throws Exception {
    OpenSearchRegistries lesser =
        new OpenSearchRegistries(
            REGISTRIES.settings(),
            REGISTRIES.search(),
            new Without(REGISTRIES.writeables(), unknownPart),
            REGISTRIES.xContents(),
            REGISTRIES.clusterSettings());
    try (FollowedCluster partly = new FollowedCluster(nodes.seeds(), lesser)) {
      awaitAll(partly);
      ClusterView view = partly.follower().current();
      ClusterView whole = followed.follower().current();

      assertThat(view.isPartial()).isTrue();
      assertThat(partly.follower().status().unknownParts()).containsExactly(unknownPart);
      assertThat(view.state().metadata().indices()).isEqualTo(whole.state().metadata().indices());
      assertThat(view.state().metadata().dataStreams())
          .isEqualTo(whole.state().metadata().dataStreams());
      assertThat(view.state().routingTable().indicesRouting())
          .isEqualTo(whole.state().routingTable().indicesRouting());
      assertThat(view.settings()).isEqualTo(whole.settings());
      for (String names : List.of("clu-*", "clu-routed", STREAM)) {
        assertThat(gatewaySays(view, names, "a session", ""))
            .isEqualTo(nodeSays(names, "a session", ""));
      }
    }
  }

  @Test
  void findsTheShardOfADocument() {
    ClusterView view = followed.follower().current();
    Index index = view.state().metadata().index("clu-parts").getIndex();
    for (int i = 0; i < 50; i++) {
      String id = "id-" + i;
      nodes
          .rest()
          .send("PUT", "/clu-parts/_doc/" + id + "?routing=r" + i % 5, "{\"n\":" + i + "}")
          .orThrow();
    }
    nodes.rest().send("POST", "/clu-parts/_refresh").orThrow();
    for (int i = 0; i < 50; i++) {
      String id = "id-" + i;
      int shard = DocumentShardResolver.shardOf(view, index, id, "r" + i % 5).id();
      String found =
          nodes
              .rest()
              .send(
                  "POST",
                  "/clu-parts/_search?filter_path=hits.total.value&preference=_shards:" + shard,
                  "{\"query\":{\"ids\":{\"values\":[\"" + id + "\"]}}}")
              .orThrow()
              .body();
      assertThat(found).as(id).isEqualTo("{\"hits\":{\"total\":{\"value\":1}}}");
    }
  }

  /** Maps each shard to its copies by allocation id, in order if the order is fixed. */
  private static Map<String, List<String>> gatewaySays(
      ClusterView view, String names, String preference, String routing) {
    SearchRequest request = new SearchRequest(names.split(","));
    request.preference(preference.isEmpty() ? null : preference);
    request.routing(routing.isEmpty() ? null : routing);
    request.indicesOptions(IndicesOptions.lenientExpandOpen());
    Map<String, List<String>> copies = new TreeMap<>();
    for (ShardTarget target :
        NAMES.resolveSearch(view, request, request, System.currentTimeMillis()).shards()) {
      copies.put(
          target.shardId().getIndexName() + "/" + target.shardId().id(),
          ordered(preference, target.copies().stream().map(ShardCopy::allocationId).toList()));
    }
    return copies;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, List<String>> nodeSays(
      String names, String preference, String routing) {
    String path =
        "/"
            + encoded(names)
            + "/_search_shards?ignore_unavailable=true&allow_no_indices=true"
            + (preference.isEmpty() ? "" : "&preference=" + encoded(preference))
            + (routing.isEmpty() ? "" : "&routing=" + encoded(routing));
    Map<?, ?> answer =
        XContentHelper.convertToMap(
            JsonXContent.jsonXContent, nodes.rest().send("GET", path).orThrow().body(), true);
    Map<String, List<String>> copies = new TreeMap<>();
    for (List<Map<String, ?>> group : (List<List<Map<String, ?>>>) required(answer, "shards")) {
      List<String> ids = new ArrayList<>();
      String shard = "";
      for (Map<String, ?> copy : group) {
        shard = copy.get("index") + "/" + copy.get("shard");
        ids.add((String) required((Map<?, ?>) required(copy, "allocation_id"), "id"));
      }
      copies.put(shard, ordered(preference, ids));
    }
    return copies;
  }

  private static Object required(Map<?, ?> fields, String name) {
    return Objects.requireNonNull(fields.get(name), name);
  }

  private static List<String> ordered(String preference, List<String> ids) {
    boolean fixed = !preference.isEmpty() && !preference.startsWith("_");
    return fixed ? ids : List.copyOf(new TreeSet<>(ids));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** Returns a registry without one name. */
  private static final class Without extends NamedWriteableRegistry {
    private final NamedWriteableRegistry all;
    private final Set<String> names;

    Without(NamedWriteableRegistry all, String name) {
      super(List.of());
      this.all = all;
      this.names = Set.of(name);
    }

    @Override
    public <T> Writeable.Reader<? extends T> getReader(Class<T> categoryClass, String name) {
      if (names.contains(name)) {
        throw new IllegalArgumentException("Unknown NamedWriteable [" + name + "]");
      }
      return all.getReader(categoryClass, name);
    }
  }
}
