package dev.weir.core.actions.ingest;

import java.util.concurrent.atomic.LongAdder;

/** Counts bulks whose pipelines nodes run for the gateway. Safe on any thread. */
public final class IngestCounts {
  private final LongAdder bulks = new LongAdder();
  private final LongAdder documents = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder fallbacks = new LongAdder();

  /** Starts at zero. */
  public IngestCounts() {}

  void recordBulk(int items) {
    bulks.increment();
    documents.add(items);
  }

  void recordRetry() {
    retries.increment();
  }

  void recordFallback() {
    fallbacks.increment();
  }

  /** Returns how many bulks came back from the pipelines. */
  public long bulks() {
    return bulks.sum();
  }

  /** Returns how many items of bulks came back, also dropped and failed ones. */
  public long documents() {
    return documents.sum();
  }

  /** Returns how often one more node was asked. */
  public long retries() {
    return retries.sum();
  }

  /** Returns how many bulks passed through because no node returned the items. */
  public long fallbacks() {
    return fallbacks.sum();
  }
}
