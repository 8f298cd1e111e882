package dev.weir.core.reduce;

import java.util.concurrent.atomic.LongAdder;

/** What trimming by one profile saved. Safe on any thread. */
public final class TrimCounts {
  private final String profile;
  private final LongAdder answers = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder fetches = new LongAdder();
  private final LongAdder documents = new LongAdder();

  /** Starts with nothing; {@code profile} is what it is called. */
  public TrimCounts(String profile) {
    this.profile = profile;
  }

  /** What the profile is called. */
  public String profile() {
    return profile;
  }

  void answered() {
    answers.increment();
  }

  void left(long more) {
    bytes.add(more);
  }

  void notFetched() {
    fetches.increment();
  }

  void withoutSource(int hits) {
    documents.add(hits);
  }

  /** Answers to searches of which less was asked or written. */
  public long answers() {
    return answers.sum();
  }

  /** Bytes, as compact JSON, that were there and not written. */
  public long bytes() {
    return bytes.sum();
  }

  /** Searches that found hits and did without the fetch phase. */
  public long fetches() {
    return fetches.sum();
  }

  /** Hits that were fetched without their documents. */
  public long documents() {
    return documents.sum();
  }
}
