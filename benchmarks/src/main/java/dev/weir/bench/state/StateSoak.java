package dev.weir.bench.state;

import dev.weir.bench.state.ClusterStateGenerator.ClusterSize;
import dev.weir.cluster.ClusterView;
import dev.weir.cluster.IndexNameResolver;
import dev.weir.cluster.read.ResponseInput;
import dev.weir.cluster.read.StateDecoder;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.bytes.BytesArray;

/**
 * Applies changes to a view of a large cluster again and again, while searches resolve names, and
 * measures the heap that view and decoder keep. Confined to one thread.
 */
final class StateSoak {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final int COLLECTIONS = 3;
  private static final int CHANGES_PER_WHOLE_READ = 10;
  private static final int WHOLE_READS_BEFORE = 4;

  private final Random random = new Random(2);
  private final IndexNameResolver names = new IndexNameResolver(new ThreadContext(Settings.EMPTY));
  private final StateDecoder decoder = new StateDecoder(new StateReadCounts());
  private final ClusterSize size;
  private final ClusterStateGenerator generator;
  private ClusterState state;
  private ClusterView view;
  private final int responseBytes;
  private final long viewBytes;

  private StateSoak(ClusterSize size) throws IOException {
    this.size = size;
    this.generator = new ClusterStateGenerator(size);
    this.state = generator.generate();
    BytesArray response = ClusterStateGenerator.write(state);
    this.responseBytes = response.length();
    this.view = ClusterView.empty(0);
    long before = usedHeap();
    this.view = read(response);
    this.viewBytes = usedHeap() - before;
  }

  /** Generates a cluster, and reads its state. */
  static StateSoak load(String size) throws IOException {
    return new StateSoak(ClusterSize.parse(size));
  }

  /** Prints the bytes of the response, and the heap of what was read from it. */
  void printSize(PrintStream out) {
    out.printf(
        "%d shards, %d copies: a response of %.1f MB, a view of %.1f MB with the bytes to compare"
            + " the next response with; %d bytes a copy%n",
        size.primaries(),
        size.copies(),
        responseBytes / 1e6,
        viewBytes / 1e6,
        viewBytes / size.copies());
  }

  /** Changes and searches; returns the heap at the end, of that after the first changes. */
  double run(double seconds, PrintStream out) throws IOException {
    for (int i = 0; i < WHOLE_READS_BEFORE * CHANGES_PER_WHOLE_READ; i++) {
      changeAndSearch(i);
    }
    long begin = usedHeap();
    long end = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    int changes = 0;
    while (System.nanoTime() < end) {
      changeAndSearch(changes++);
    }
    long after = usedHeap();
    out.printf(
        "soak: %d changes, heap %.1f MB after the first ones, %.1f MB at the end%n",
        changes, begin / 1e6, after / 1e6);
    return (double) after / begin;
  }

  private void changeAndSearch(int change) throws IOException {
    String index = ClusterStateGenerator.indexName(random.nextInt(size.indices()));
    if (change % CHANGES_PER_WHOLE_READ == 0) {
      state = generator.changeMapping(state, index);
      view = read(ClusterStateGenerator.write(state));
    } else {
      state = generator.move(state, index);
      ClusterState moved =
          decoder.readSmall(open(ClusterStateGenerator.writeRouting(state, index)));
      view = view.withRouting(moved.routingTable(), state.version());
    }
    int application = random.nextInt(Math.max(1, size.indices() / ClusterStateGenerator.DAYS));
    SearchRequest search = new SearchRequest(ClusterStateGenerator.aliasName(application) + "*");
    names.resolveSearch(view, search, search, 0);
  }

  private ClusterView read(BytesArray response) throws IOException {
    return new ClusterView(decoder.read(open(response)), Map.of(), 0, false);
  }

  private static ResponseInput open(BytesArray bytes) {
    return new ResponseInput(bytes, Version.CURRENT, REGISTRIES.writeables());
  }

  private static long usedHeap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
