package dev.weir.bench.state;

import dev.weir.bench.state.ClusterStateGenerator.ClusterSize;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.IndexNameResolver;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;

/** Resolves what searches name in a cluster of 10,000 indices. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NameResolutionBenchmark {
  /** An alias of 30 indices, a wildcard of as many, one of 300, one that begins with a star. */
  @Param({"logs-app0123", "logs-app0123-*", "logs-app012*", "*-app0123-2027.0*"})
  public String expression = "";

  private final IndexNameResolver names = new IndexNameResolver(new ThreadContext(Settings.EMPTY));
  private final ClusterState state =
      new ClusterStateGenerator(new ClusterSize(10_000, 1, 1, 50)).generate();
  private final ClusterView view = view();

  public NameResolutionBenchmark() {}

  /** A view that has resolved nothing yet. */
  @State(Scope.Thread)
  public static class NewView {
    private ClusterView view = ClusterView.empty(0);

    public NewView() {}

    /** Creates the view. */
    @Setup(Level.Invocation)
    public void create(NameResolutionBenchmark benchmark) {
      view = benchmark.view();
    }
  }

  private ClusterView view() {
    return new ClusterView(state, Map.of(), 0, false);
  }

  /** Resolves a search that clients repeat. */
  @Benchmark
  public Object resolveRepeated() {
    return resolve(view);
  }

  /** Resolves a search for the first time after the names of indices have changed. */
  @Benchmark
  public Object resolveFirst(NewView newView) {
    return resolve(newView.view);
  }

  private Object resolve(ClusterView in) {
    SearchRequest search = new SearchRequest(expression);
    search.indicesOptions(IndicesOptions.strictExpandOpenAndForbidClosed());
    return names.resolveSearch(in, search, search, 0).shards();
  }
}
