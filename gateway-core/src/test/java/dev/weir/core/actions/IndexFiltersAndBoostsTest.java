package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexNameExpressionResolver;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.index.Index;
import org.opensearch.search.builder.SearchSourceBuilder;

class IndexFiltersAndBoostsTest {
  private static final ClusterView VIEW =
      ClusterStates.ofNodes(1).index("logs-1", 1, 0).index("logs-2", 1, 0).view();

  private final CountingResolver resolver = new CountingResolver();

  private static final class CountingResolver extends IndexNameExpressionResolver {
    int calls;

    CountingResolver() {
      super(new ThreadContext(Settings.EMPTY));
    }

    @Override
    public Index[] concreteIndices(
        ClusterState state, IndicesOptions options, String... expressions) {
      calls++;
      return super.concreteIndices(state, options, expressions);
    }
  }

  private static Index index(String name) {
    return VIEW.state().metadata().index(name).getIndex();
  }

  private Map<String, Float> boosts(SearchSourceBuilder source, Index... targets) {
    return IndexFiltersAndBoosts.indexBoosts(
        resolver, VIEW, new SearchRequest("logs-*").source(source), List.of(targets));
  }

  @Test
  void resolveEqualExpressionsOnce() {
    SearchSourceBuilder source = new SearchSourceBuilder();
    for (int i = 1; i <= 1000; i++) {
      source.indexBoost("*", i);
    }

    assertThat(boosts(source, index("logs-1"))).isEqualTo(Map.of(index("logs-1").getUUID(), 1f));
    assertThat(resolver.calls).isEqualTo(1);
  }

  @Test
  void takeTheFirstBoostOfEachSearchedIndex() {
    SearchSourceBuilder source =
        new SearchSourceBuilder().indexBoost("logs-2", 3).indexBoost("logs-*", 2);

    assertThat(boosts(source, index("logs-1"), index("logs-2")))
        .isEqualTo(Map.of(index("logs-1").getUUID(), 2f, index("logs-2").getUUID(), 3f));
  }
}
