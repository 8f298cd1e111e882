package dev.weir.bench.hotnode;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Samples the number of shard searches on each node, ten times a second during a run, and less
 * often while a node is stopped. The first node is the faulty one.
 */
final class ShardSearchSampler implements AutoCloseable {
  private static final long PAUSE_MILLIS = 100;
  private static final double WINDOW_SECONDS = 0.5;
  private static final Pattern SEARCHES = Pattern.compile("\"searches\":(\\d+)");

  private final long beganNanos = System.nanoTime();
  private final List<NavigableMap<Double, Long>> counts = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean over;

  private ShardSearchSampler() {}

  /** Starts sampling. */
  static ShardSearchSampler start(List<DataNode> nodes) {
    ShardSearchSampler shares = new ShardSearchSampler();
    for (DataNode node : nodes) {
      NavigableMap<Double, Long> samples = new TreeMap<>();
      shares.counts.add(samples);
      shares.threads.add(Thread.ofVirtual().start(() -> shares.sample(node, samples)));
    }
    return shares;
  }

  private void sample(DataNode node, NavigableMap<Double, Long> samples) {
    try (RestClient rest = new RestClient(node.httpUri())) {
      while (!over) {
        samples.put(elapsedSeconds(), count(rest));
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private static long count(RestClient rest) {
    Matcher searches = SEARCHES.matcher(rest.send("GET", "/_weir_faults").orThrow().body());
    if (!searches.find()) {
      throw new IllegalStateException("got no count of searches (expected: the fault plugin's)");
    }
    return Long.parseLong(searches.group(1));
  }

  /** Returns the seconds since the start. */
  double elapsedSeconds() {
    return (System.nanoTime() - beganNanos) / 1e9;
  }

  /** Returns the faulty node's share of all shard searches between two times; NaN without any. */
  double shareBetween(double from, double to) {
    double all = 0;
    for (NavigableMap<Double, Long> samples : counts) {
      all += at(samples, to) - at(samples, from);
    }
    return (at(counts.getFirst(), to) - at(counts.getFirst(), from)) / all;
  }

  /**
   * Returns the seconds from {@code from} until the first half second with at least this share; NaN
   * if there is none.
   */
  double secondsUntilShare(double share, double from) {
    double end = end();
    for (double at = from; at + WINDOW_SECONDS <= end; at += WINDOW_SECONDS / 5) {
      if (shareBetween(at, at + WINDOW_SECONDS) >= share) {
        return at - from;
      }
    }
    return Double.NaN;
  }

  /** Returns the highest share of any half second after a time. */
  double peakShare(double from) {
    double peak = 0;
    double end = end();
    for (double at = from; at + WINDOW_SECONDS <= end; at += WINDOW_SECONDS / 5) {
      peak = Math.max(peak, shareBetween(at, at + WINDOW_SECONDS));
    }
    return peak;
  }

  private double end() {
    return counts.stream().mapToDouble(NavigableMap::lastKey).min().orElse(0);
  }

  /** Interpolates a count linearly between two samples. */
  private static double at(NavigableMap<Double, Long> samples, double time) {
    Map.Entry<Double, Long> before = samples.floorEntry(time);
    Map.Entry<Double, Long> after = samples.ceilingEntry(time);
    if (before == null || after == null) {
      return (before == null ? samples.firstEntry() : samples.lastEntry()).getValue();
    }
    double length = after.getKey() - before.getKey();
    double passed = length == 0 ? 0 : (time - before.getKey()) / length;
    return before.getValue() + passed * (after.getValue() - before.getValue());
  }

  /** Stops sampling. Blocks until every node responds again; then the samples can be evaluated. */
  @Override
  public void close() {
    over = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
