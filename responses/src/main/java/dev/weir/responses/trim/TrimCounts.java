package dev.weir.responses.trim;

import java.util.concurrent.atomic.LongAdder;

/** What trimming by one profile saved. Safe on any thread. */
public final class TrimCounts {
  private final String profile;
  private final LongAdder trimmedResponses = new LongAdder();
  private final LongAdder savedBytes = new LongAdder();
  private final LongAdder skippedFetches = new LongAdder();
  private final LongAdder skippedDocuments = new LongAdder();

  /** Starts with nothing; {@code profile} is what it is called. */
  public TrimCounts(String profile) {
    this.profile = profile;
  }

  /** What the profile is called. */
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

  /** Answers to searches of which less was asked or written. */
  public long trimmedResponses() {
    return trimmedResponses.sum();
  }

  /** Bytes, as compact JSON, that were there and not written. */
  public long savedBytes() {
    return savedBytes.sum();
  }

  /** Searches that found hits and did without the fetch phase. */
  public long skippedFetches() {
    return skippedFetches.sum();
  }

  /** Hits that were fetched without their documents. */
  public long skippedDocuments() {
    return skippedDocuments.sum();
  }
}
