package dev.weir.core.reduce;

import dev.weir.model.Shown;
import dev.weir.protocol.RequestFrames;
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
 * Which of a search's aggregations grew, and by how much, for the bill of a search that is refused.
 * Safe on any thread.
 */
final class AggregationGrowth {
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  private static final int DEEPEST = 64;
  private static final int MOST_LINES = 5;

  private final AggregationShape shape;
  private final Map<String, Seen> seen = new LinkedHashMap<>();
  private final Map<Class<?>, Long> made = new LinkedHashMap<>();
  private long expected;
  private String expecting = "";

  /** What nodes sent of one aggregation, in all their answers. */
  private record Seen(String name, String type, Class<?> of, long buckets, long bytes) {
    Seen and(long moreBuckets, long moreBytes) {
      return new Seen(name, type, of, buckets + moreBuckets, bytes + moreBytes);
    }

    String line() {
      return String.format(
          Locale.ROOT,
          "aggregation [%s] (%s) has %,d buckets in node answers, %s as objects",
          name,
          type,
          buckets,
          Shown.bytes(bytes));
    }
  }

  AggregationGrowth(AggregationShape shape) {
    this.shape = shape;
  }

  /** Notes what an answer has, with the memory that it took as objects. */
  synchronized void took(InternalAggregations answer, long heapBytes) {
    long all = 0;
    for (Aggregation one : answer) {
      all += buckets(one);
    }
    for (Aggregation one : answer) {
      long share = heapBytes * buckets(one) / Math.max(1, all);
      Seen now =
          seen.getOrDefault(
              one.getName(), new Seen(one.getName(), one.getType(), one.getClass(), 0, 0));
      seen.put(one.getName(), now.and(buckets(one), share));
    }
  }

  private static int buckets(Aggregation one) {
    return one instanceof MultiBucketsAggregation many ? many.getBuckets().size() : 1;
  }

  /** The reduction that runs on this thread made buckets, and they were paid for. */
  void made(int buckets) {
    Class<?> by = reducing();
    synchronized (this) {
      made.merge(by, (long) buckets, Long::sum);
    }
  }

  /** So many buckets without documents will be made, as an aggregation of this type says. */
  synchronized void expected(long buckets, String type) {
    expected = Math.max(expected, buckets);
    expecting = type;
  }

  /** The class of the aggregation that is being reduced on this thread. */
  private static Class<?> reducing() {
    return STACK.walk(frames ->
        frames
            .limit(DEEPEST)
            .map(StackFrame::getDeclaringClass)
            .filter(InternalAggregation.class::isAssignableFrom)
            .findFirst()
            .orElse(InternalAggregation.class));
  }

  /** For people, the largest first. */
  synchronized List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (expected > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%s would get %,d buckets without documents, %s",
              one(expecting),
              expected,
              Shown.bytes(saturated(expected))));
    }
    made.forEach((by, buckets) ->
        lines.add(
            String.format(
                Locale.ROOT,
                "%s grew by %,d buckets without documents so far, %s",
                one(by),
                buckets,
                Shown.bytes(saturated(buckets)))));
    seen.values().stream()
        .sorted(Comparator.comparingLong(Seen::bytes).reversed())
        .limit(MOST_LINES)
        .map(Seen::line)
        .forEach(lines::add);
    return lines.isEmpty() ? shape.named() : List.copyOf(lines);
  }

  private static long saturated(long buckets) {
    return buckets > Long.MAX_VALUE / RequestBreaker.BUCKET_BYTES
        ? Long.MAX_VALUE
        : buckets * RequestBreaker.BUCKET_BYTES;
  }

  private String one(Class<?> of) {
    List<String> names = new ArrayList<>();
    for (Seen one : seen.values()) {
      if (one.of() == of) {
        names.add("aggregation [" + one.name() + "] (" + one.type() + ")");
      }
    }
    String plain = of.getSimpleName().replaceFirst("^Internal", "");
    return names.isEmpty()
        ? one(plain.replaceAll("(?<=[a-z])([A-Z])", "_$1").toLowerCase(Locale.ROOT))
        : String.join(" or ", names);
  }

  /** Those of the search that are of a type; the type alone where there is none at the top. */
  private String one(String type) {
    List<String> names =
        shape.named().stream().filter(name -> name.endsWith("(" + type + ")")).toList();
    return names.isEmpty()
        ? "an aggregation" + (type.isEmpty() ? "" : " (" + type + ")")
        : String.join(" or ", names);
  }

  /** The same exception with what grew among its details. */
  CircuitBreakingException toldWith(CircuitBreakingException full) {
    List<String> lines = lines();
    if (lines.isEmpty()) {
      return full;
    }
    CircuitBreakingException told =
        new CircuitBreakingException(
            full.getMessage() + "; " + String.join(", ", lines),
            full.getBytesWanted(),
            full.getByteLimit(),
            full.getDurability());
    told.addMetadata(RequestFrames.GROWTH, lines);
    return told;
  }
}
