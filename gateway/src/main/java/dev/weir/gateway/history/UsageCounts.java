package dev.weir.gateway.history;

import dev.weir.model.CompletedRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Counts of finished requests since the start. Striped; safe on any thread. */
final class UsageCounts {
  private final LongAdder[] buckets =
      Stream.generate(LongAdder::new).limit(LatencyBuckets.COUNT).toArray(LongAdder[]::new);
  private final LongAdder failed = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder tookNanos = new LongAdder();
  private final LongAdder requestBytes = new LongAdder();
  private final LongAdder responseBytes = new LongAdder();

  /**
   * The counts of one moment.
   *
   * @param buckets the requests of each of the {@link LatencyBuckets}
   */
  record Sums(
      BucketCounts buckets,
      long failed,
      long rejected,
      long tookMillis,
      long requestBytes,
      long responseBytes) {
    static final Sums ZERO = new Sums(BucketCounts.ZERO, 0, 0, 0, 0, 0);

    Sums plus(Sums other) {
      return new Sums(
          buckets.plus(other.buckets, 1),
          failed + other.failed,
          rejected + other.rejected,
          tookMillis + other.tookMillis,
          requestBytes + other.requestBytes,
          responseBytes + other.responseBytes);
    }

    Sums minus(Sums other) {
      return new Sums(
          buckets.plus(other.buckets, -1),
          failed - other.failed,
          rejected - other.rejected,
          tookMillis - other.tookMillis,
          requestBytes - other.requestBytes,
          responseBytes - other.responseBytes);
    }

    long requests() {
      return buckets.sum();
    }
  }

  void add(CompletedRequest request) {
    buckets[LatencyBuckets.indexOf(request.durationNanos())].increment();
    switch (RequestOutcome.of(request)) {
      case FAILED -> failed.increment();
      case REJECTED -> rejected.increment();
      case ANSWERED -> {
        // counted by its bucket alone
      }
    }
    tookNanos.add(request.durationNanos());
    requestBytes.add(request.requestBytes());
    responseBytes.add(request.responseBytes());
  }

  Sums sums() {
    return new Sums(
        new BucketCounts(IntStream.range(0, buckets.length).mapToLong(i -> buckets[i].sum())),
        failed.sum(),
        rejected.sum(),
        TimeUnit.NANOSECONDS.toMillis(tookNanos.sum()),
        requestBytes.sum(),
        responseBytes.sum());
  }
}
