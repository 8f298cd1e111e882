package dev.weir.core.actions.passthrough;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.ClusterView;
import dev.weir.model.PassThroughException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.index.query.InnerHitBuilder;
import org.opensearch.search.aggregations.AggregationBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.collapse.CollapseBuilder;

class SearchPassThroughCheckerTest {
  private static IndexMetadata index(String name, String key, String value) {
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0)
                .put(key, value))
        .build();
  }

  private static ClusterView view(Settings settings, IndexMetadata index) {
    return new ClusterView(
        ClusterState.builder(new ClusterName("test"))
            .metadata(Metadata.builder().persistentSettings(settings).put(index, false))
            .build(),
        Map.of(),
        0,
        false);
  }

  private static void passes(Runnable check, String reason) {
    assertThatThrownBy(check::run).isInstanceOf(PassThroughException.class).hasMessage(reason);
  }

  @Test
  void passesPipelinesThrough() {
    passes(
        () -> SearchPassThroughChecker.check(new SearchRequest("a").pipeline("p")),
        "search-pipeline");
    SearchSourceBuilder inBody = new SearchSourceBuilder().searchPipelineSource(Map.of("a", 1));
    passes(
        () -> SearchPassThroughChecker.check(new SearchRequest("a").source(inBody)),
        "search-pipeline");
    assertThatCode(() -> SearchPassThroughChecker.check(new SearchRequest("a").pipeline("_none")))
        .doesNotThrowAnyException();
  }

  @Test
  void passesOtherClustersThrough() {
    passes(
        () -> SearchPassThroughChecker.check(new SearchRequest("a", "other:b")), "cross-cluster");
  }

  @Test
  void passesTooManyIndexBoostsThrough() {
    SearchSourceBuilder equal = new SearchSourceBuilder();
    SearchSourceBuilder different = new SearchSourceBuilder();
    for (int i = 0; i <= 256; i++) {
      equal.indexBoost("*", 1);
      different.indexBoost("logs-" + i, 1);
    }

    passes(
        () -> SearchPassThroughChecker.check(new SearchRequest("a").source(different)),
        "costly-body");
    assertThatCode(() -> SearchPassThroughChecker.check(new SearchRequest("a").source(equal)))
        .doesNotThrowAnyException();
  }

  @Test
  void passTooManySearchesForInnerHitsThrough() {
    passes(() -> SearchPassThroughChecker.check(collapsed(5001, 2)), "costly-body");
    passes(() -> SearchPassThroughChecker.check(collapsed(-1, 1001)), "costly-body");
    for (SearchRequest usual : List.of(collapsed(5000, 2), collapsed(-1, 1000), collapsed(0, 9))) {
      assertThatCode(() -> SearchPassThroughChecker.check(usual)).doesNotThrowAnyException();
    }
  }

  private static SearchRequest collapsed(int size, int innerHits) {
    List<InnerHitBuilder> inner = new ArrayList<>();
    for (int i = 0; i < innerHits; i++) {
      inner.add(new InnerHitBuilder("i" + i));
    }
    SearchSourceBuilder source =
        new SearchSourceBuilder().collapse(new CollapseBuilder("user").setInnerHits(inner));
    return new SearchRequest("a").source(size < 0 ? source : source.size(size));
  }

  @Test
  void passesTooManyNamePatternsThrough() {
    String[] patterns = new String[257];
    Arrays.setAll(patterns, i -> "*a*" + i);
    String[] names = new String[257];
    Arrays.setAll(names, i -> "logs-" + i);

    passes(() -> SearchPassThroughChecker.check(new SearchRequest(patterns)), "costly-body");
    assertThatCode(() -> SearchPassThroughChecker.check(new SearchRequest(names)))
        .doesNotThrowAnyException();
  }

  @Test
  void passesIndicesWithADefaultPipelineThrough() {
    IndexMetadata piped = index("a", "index.search.default_pipeline", "p");
    ClusterView view = view(Settings.EMPTY, piped);
    passes(
        () ->
            SearchPassThroughChecker.check(new SearchRequest("a"), view, List.of(piped.getIndex())),
        "search-pipeline");
    assertThatCode(() ->
            SearchPassThroughChecker.check(
                new SearchRequest("a").pipeline("_none"), view, List.of(piped.getIndex())))
        .doesNotThrowAnyException();
    assertThatCode(() ->
            SearchPassThroughChecker.check(new SearchRequest(), view, List.of(piped.getIndex())))
        .doesNotThrowAnyException();
  }

  @Test
  void passesPercentilesThroughToNodesBeforeTheirNewLibrary() {
    SearchRequest nested =
        new SearchRequest("a")
            .source(
                new SearchSourceBuilder()
                    .aggregation(
                        AggregationBuilders.terms("t")
                            .field("f")
                            .subAggregation(AggregationBuilders.percentiles("p").field("n"))));
    SearchRequest other =
        new SearchRequest("a")
            .source(new SearchSourceBuilder().aggregation(AggregationBuilders.avg("a").field("n")));

    passes(
        () -> SearchPassThroughChecker.check(nested, nodesOf(Version.V_2_19_0), List.of()),
        "old-percentiles");
    assertThatCode(
            () -> SearchPassThroughChecker.check(nested, nodesOf(Version.V_3_0_0), List.of()))
        .doesNotThrowAnyException();
    assertThatCode(
            () -> SearchPassThroughChecker.check(other, nodesOf(Version.V_2_19_0), List.of()))
        .doesNotThrowAnyException();
  }

  private static ClusterView nodesOf(Version version) {
    DiscoveryNode node =
        new DiscoveryNode(
            "n",
            new TransportAddress(InetAddress.getLoopbackAddress(), 9300),
            Map.of(),
            Set.of(DiscoveryNodeRole.DATA_ROLE),
            version);
    return new ClusterView(
        ClusterState.builder(new ClusterName("test"))
            .nodes(DiscoveryNodes.builder().add(node))
            .build(),
        Map.of(),
        0,
        false);
  }

  @Test
  void passesSystemGeneratedPipelinesThrough() {
    IndexMetadata plain = index("a", "index.search.default_pipeline", "_none");
    passes(
        () ->
            SearchPassThroughChecker.check(
                new SearchRequest("a"),
                view(
                    Settings.builder()
                        .putList("cluster.search.enabled_system_generated_factories", "x")
                        .build(),
                    plain),
                List.of(plain.getIndex())),
        "search-pipeline");
    assertThatCode(() ->
            SearchPassThroughChecker.check(
                new SearchRequest("a"), view(Settings.EMPTY, plain), List.of(plain.getIndex())))
        .doesNotThrowAnyException();
  }
}
