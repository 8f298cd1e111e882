package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.metadata.DataStream;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.index.Index;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.indices.IndexClosedException;

class IndexNameResolverTest {
  private static final IndexNameResolver NAMES =
      new IndexNameResolver(new ThreadContext(Settings.EMPTY));
  private static final ClusterView RICH =
      new ClusterView(PartialStateReaderTest.rich(), Map.of(), 0, false);

  @Test
  void resolvesNamesWildcardsAliasesAndDataStreams() {
    assertThat(search("logs-1")).containsExactly("logs-1");
    assertThat(search("logs-*")).containsExactlyInAnyOrder("logs-1", "logs-2");
    assertThat(search("logs-*", "-logs-1")).containsExactly("logs-2");
    assertThat(search("logs")).containsExactlyInAnyOrder("logs-1", "logs-2");
    assertThat(search("metrics"))
        .containsExactly(
            DataStream.getDefaultBackingIndexName("metrics", 1),
            DataStream.getDefaultBackingIndexName("metrics", 2));
    assertThat(search("secret")).containsExactly("secret");
    assertThat(search("*")).doesNotContain("secret", "closed");
  }

  @Test
  void followsIndicesOptions() {
    assertThat(search(IndicesOptions.lenientExpandHidden(), "*")).contains("secret");
    assertThat(search(IndicesOptions.lenientExpandOpen(), "gone", "logs-1"))
        .containsExactly("logs-1");
    assertThatThrownBy(() -> search("gone")).isInstanceOf(IndexNotFoundException.class);
    assertThatThrownBy(() -> search("closed")).isInstanceOf(IndexClosedException.class);
    assertThatThrownBy(() -> search(IndicesOptions.fromOptions(false, false, true, false), "zz*"))
        .isInstanceOf(IndexNotFoundException.class);
  }

  @Test
  void resolvesDateMathAtTheSearchsStart() {
    LocalDate day = LocalDate.of(2025, 3, 7);
    String name = "events-" + day.format(DateTimeFormatter.ofPattern("yyyy.MM.dd"));
    ClusterView view = ClusterStates.ofNodes(1).index(name, 1, 0).view();
    SearchRequest request = new SearchRequest("<events-{now/d}>");
    long start = day.atTime(13, 0).toInstant(ZoneOffset.UTC).toEpochMilli();

    assertThat(NAMES.resolveSearch(view, request, request, start).indices())
        .extracting(Index::getName)
        .containsExactly(name);
  }

  @Test
  void resolvesTheSameNamesOncePerView() {
    SearchRequest request = new SearchRequest("logs-*");
    IndexNameResolver.SearchTargets first = NAMES.resolveSearch(RICH, request, request, 0);
    SearchRequest again = new SearchRequest("logs-*");
    IndexNameResolver.SearchTargets second = NAMES.resolveSearch(RICH, again, again, 9);
    assertThat(second.indices()).isSameAs(first.indices());
    assertThat(second.shards()).isSameAs(first.shards());

    SearchRequest routed = new SearchRequest("logs-*").routing("r1");
    assertThat(NAMES.resolveSearch(RICH, routed, routed, 0).shards())
        .hasSizeLessThan(first.shards().size());
    SearchRequest other = new SearchRequest("logs-*").preference("_primary");
    assertThat(NAMES.resolveSearch(RICH, other, other, 0).shards())
        .extracting(ShardTarget::shardId)
        .isEqualTo(first.shards().stream().map(ShardTarget::shardId).toList());
  }

  @Test
  void resolvesNamesAnewInTheNextView() {
    SearchRequest request = new SearchRequest("logs-*");
    ClusterView one = ClusterStates.ofNodes(1).index("logs-1", 1, 0).view();
    ClusterView two = ClusterStates.ofNodes(1).index("logs-1", 2, 0).index("logs-2", 1, 0).view();
    assertThat(NAMES.resolveSearch(one, request, request, 0).shards()).hasSize(1);
    assertThat(NAMES.resolveSearch(two, request, request, 0).shards()).hasSize(3);
    assertThat(NAMES.resolveSearch(one.confirm(5), request, request, 0).shards()).hasSize(1);
  }

  /** OpenSearch's resolver may warn each client that names one. */
  @Test
  void resolvesSystemIndicesEachTime() {
    ClusterView view =
        ClusterStates.ofNodes(1).index(".system", 1, 0, index -> index.system(true)).view();
    SearchRequest request = new SearchRequest(".system");
    List<Index> first = NAMES.resolveSearch(view, request, request, 0).indices();
    assertThat(NAMES.resolveSearch(view, request, request, 0).indices())
        .isEqualTo(first)
        .isNotSameAs(first);
  }

  @Test
  void boundsWhatItKeeps() {
    ResolvedNamesCache cache = new ResolvedNamesCache();
    List<Index> many = Collections.nCopies(ResolvedNamesCache.MAX_INDICES / 5, new Index("i", "u"));
    ResolvedNames resolved = new ResolvedNames(many, Map.of(), Map.of());
    for (int i = 0; i < 50; i++) {
      SearchRequest request = new SearchRequest("logs-" + i);
      cache.put(Objects.requireNonNull(ResolvedNamesCache.Key.of(request, null, null)), resolved);
    }
    assertThat(cache.size()).isBetween(1L, (long) ResolvedNamesCache.MAX_INDICES);
    assertThat(ResolvedNamesCache.Key.of(new SearchRequest("x".repeat(300)), null, null)).isNull();
    assertThat(ResolvedNamesCache.Key.of(new SearchRequest("<x-{now/d}>"), null, null)).isNull();
  }

  @Test
  void appliesTheRoutingOfAliases() {
    SearchRequest byAlias = new SearchRequest("errors");
    SearchRequest byIndex = new SearchRequest("logs-1").routing("r1");

    IndexNameResolver.SearchTargets alias = NAMES.resolveSearch(RICH, byAlias, byAlias, 0);

    assertThat(alias.routing()).containsExactly(Map.entry("logs-1", Set.of("r1")));
    assertThat(alias.shards()).hasSize(1);
    assertThat(alias.shards().getFirst().shardId())
        .isEqualTo(NAMES.resolveSearch(RICH, byIndex, byIndex, 0).shards().getFirst().shardId());
  }

  @Test
  void readsDocumentsFromOneIndexOnly() {
    assertThat(NAMES.resolveSingle(RICH, new GetRequest("errors", "1")).getName())
        .isEqualTo("logs-1");
    assertThatThrownBy(() -> NAMES.resolveSingle(RICH, new GetRequest("logs", "1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than one ind");
  }

  private static List<String> search(String... names) {
    return search(new SearchRequest().indicesOptions(), names);
  }

  private static List<String> search(IndicesOptions options, String... names) {
    SearchRequest request = new SearchRequest(names).indicesOptions(options);
    return NAMES.resolveSearch(RICH, request, request, 0).indices().stream()
        .map(Index::getName)
        .sorted()
        .toList();
  }
}
