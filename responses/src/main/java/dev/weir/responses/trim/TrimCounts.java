package dev.weir.responses.trim;

import java.util.concurrent.atomic.LongAdder;

/** Counts what trimming by one profile saved. Safe on any thread. */
public final class TrimCounts {
  private final String profile;
  private final LongAdder trimmedResponses = new LongAdder();
  private final LongAdder savedBytes = new LongAdder();
  private final LongAdder skippedFetches = new LongAdder();
  private final LongAdder skippedDocuments = new LongAdder();

  /**
   * Starts at zero.
   *
   * @param profile the profile's name
   */
  public TrimCounts(String profile) {
    this.profile = profile;
  }

  public String profile() {
    return profile;
  }

  void recordResponse() {
    trimmedResponses.increment();
  }

  public void addSavedBytes(long more) {
    savedBytes.add(more);
  }

  public void recordSkippedFetch() {
    skippedFetches.increment();
  }

  void addSkippedDocuments(int hits) {
    skippedDocuments.add(hits);
  }

  /** Returns the number of responses with fewer parts fetched or written. */
  public long trimmedResponses() {
    return trimmedResponses.sum();
  }

  /** Returns the dropped bytes, measured as compact JSON. */
  public long savedBytes() {
    return savedBytes.sum();
  }

  /** Returns the searches with hits that skipped the fetch phase. */
  public long skippedFetches() {
    return skippedFetches.sum();
  }

  /** Returns the hits that were fetched without their documents. */
  public long skippedDocuments() {
    return skippedDocuments.sum();
  }
}
