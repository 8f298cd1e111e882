package dev.weir.core.reduce.memory;

import dev.weir.model.DisplayFormat;
import dev.weir.protocol.RequestFrameBudget;
import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.MultiBucketsAggregation;

/**
 * Tracks which aggregations of a search grew, and by how much, for the memory bill of a rejected
 * search. Safe on any thread.
 */
final class AggregationSizeTracker {
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final int MAX_STACK_DEPTH = 64;
  private static final int MAX_LINES = 5;

  private final AggregationShape shape;
  private final Map<String, AggregationSize> sizes = new LinkedHashMap<>();
  private final Map<Class<?>, Long> bucketsByClass = new LinkedHashMap<>();
  private long expectedBuckets;
  private String expectedType = "";

  /** The size of one aggregation in all shard results together. */
  private record AggregationSize(
      String name, String type, Class<?> aggregationClass, long buckets, long bytes) {
    AggregationSize plus(long moreBuckets, long moreBytes) {
      return new AggregationSize(
          name, type, aggregationClass, buckets + moreBuckets, bytes + moreBytes);
    }

    String describe() {
      return String.format(
          Locale.ROOT,
          "aggregation [%s] (%s) has %,d buckets in node answers, %s as objects",
          name,
          type,
          buckets,
          DisplayFormat.formatBytes(bytes));
    }
  }

  AggregationSizeTracker(AggregationShape shape) {
    this.shape = shape;
  }

  /** Records the aggregations of a result and the heap that they took as objects. */
  synchronized void recordResponse(InternalAggregations answer, long heapBytes) {
    long all = 0;
    for (Aggregation one : answer) {
      all += countBuckets(one);
    }
    for (Aggregation one : answer) {
      long share = heapBytes * countBuckets(one) / Math.max(1, all);
      AggregationSize now =
          sizes.getOrDefault(
              one.getName(),
              new AggregationSize(one.getName(), one.getType(), one.getClass(), 0, 0));
      sizes.put(one.getName(), now.plus(countBuckets(one), share));
    }
  }

  private static int countBuckets(Aggregation one) {
    return one instanceof MultiBucketsAggregation many ? many.getBuckets().size() : 1;
  }

  /** The reduction on this thread created buckets, which are accounted for. */
  void recordBuckets(int buckets) {
    Class<?> by = findReducingClass();
    synchronized (this) {
      bucketsByClass.merge(by, (long) buckets, Long::sum);
    }
  }

  /** An aggregation of this type will create this many buckets without documents. */
  synchronized void recordExpectedBuckets(long buckets, String type) {
    expectedBuckets = Math.max(expectedBuckets, buckets);
    expectedType = type;
  }

  /** Returns the class of the aggregation that is being reduced on this thread. */
  private static Class<?> findReducingClass() {
    return STACK.walk(frames ->
        frames
            .limit(MAX_STACK_DEPTH)
            .map(StackFrame::getDeclaringClass)
            .filter(InternalAggregation.class::isAssignableFrom)
            .findFirst()
            .orElse(InternalAggregation.class));
  }

  /** Describes the sizes for people, largest first. */
  synchronized List<String> describe() {
    List<String> lines = new ArrayList<>();
    if (expectedBuckets > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s would get %,d buckets without documents, %s",
              describeType(expectedType),
              expectedBuckets,
              DisplayFormat.formatBytes(bytesOf(expectedBuckets))));
    }
    bucketsByClass.forEach((by, buckets) ->
        lines.add(
            String.format(
                Locale.ROOT,
                "%s grew by %,d buckets without documents so far, %s",
                describeType(by),
                buckets,
                DisplayFormat.formatBytes(bytesOf(buckets)))));
    sizes.values().stream()
        .sorted(Comparator.comparingLong(AggregationSize::bytes).reversed())
        .limit(MAX_LINES)
        .map(AggregationSize::describe)
        .forEach(lines::add);
    return lines.isEmpty() ? shape.names() : List.copyOf(lines);
  }

  private static long bytesOf(long buckets) {
    return buckets > Long.MAX_VALUE / SearchCircuitBreaker.BUCKET_BYTES
        ? Long.MAX_VALUE
        : buckets * SearchCircuitBreaker.BUCKET_BYTES;
  }

  private String describeType(Class<?> of) {
    List<String> names = new ArrayList<>();
    for (AggregationSize one : sizes.values()) {
      if (one.aggregationClass() == of) {
        names.add("aggregation [" + one.name() + "] (" + one.type() + ")");
      }
    }
    String plain = of.getSimpleName().replaceFirst("^Internal", "");
    return names.isEmpty()
        ? describeType(plain.replaceAll("(?<=[a-z])([A-Z])", "_$1").toLowerCase(Locale.ROOT))
        : String.join(" or ", names);
  }

  /**
   * Returns the names of the search's aggregations of a type; only the type if no top-level one has
   * it.
   */
  private String describeType(String type) {
    List<String> names =
        shape.names().stream().filter(name -> name.endsWith("(" + type + ")")).toList();
    return names.isEmpty()
        ? "an aggregation" + (type.isEmpty() ? "" : " (" + type + ")")
        : String.join(" or ", names);
  }

  /** Returns the same exception with the aggregations that grew among its details. */
  CircuitBreakingException withDetails(CircuitBreakingException full) {
    List<String> lines = describe();
    if (lines.isEmpty()) {
      return full;
    }
    CircuitBreakingException rejection =
        new CircuitBreakingException(
            full.getMessage() + "; " + String.join(", ", lines),
            full.getBytesWanted(),
            full.getByteLimit(),
            full.getDurability());
    rejection.addMetadata(RequestFrameBudget.GROWTH, lines);
    return rejection;
  }
}
