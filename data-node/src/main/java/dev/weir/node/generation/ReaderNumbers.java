package dev.weir.node.generation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.lucene.index.IndexReader;
import org.opensearch.common.UUIDs;

/**
 * Numbers readers in the order in which they are asked for. Safe on any thread.
 *
 * <p>A reader is a point in time of one copy on this run of the node, and never changes. So two
 * equal numbers of the same run mean that a copy has used one reader all the time in between:
 * engines only go on to new readers. A refresh that makes anything visible opens another one, as do
 * a merge that became visible, another engine (after a reset, a promotion or a change of a closed
 * index), and another copy of the shard here. A refresh without effect keeps the reader, and the
 * number.
 *
 * <p>The number is found by the identity of the reader's cache key, by which Lucene itself tells
 * readers apart. It is kept until the reader is closed, so there are as many as open readers.
 */
public final class ReaderNumbers {
  private final String nodeRun = UUIDs.randomBase64UUID();
  private final Map<IndexReader.CacheKey, Long> numbers = new ConcurrentHashMap<>();
  private final AtomicLong last = new AtomicLong();

  ReaderNumbers() {}

  /** Returns an id that no other run of any node has. */
  String nodeRun() {
    return nodeRun;
  }

  /**
   * Returns the number of a reader, from 1.
   *
   * @param cache of an open reader, to which the caller holds a reference
   */
  long of(IndexReader.CacheHelper cache) {
    return numbers.computeIfAbsent(
        cache.getKey(),
        key -> {
          cache.addClosedListener(numbers::remove);
          return last.incrementAndGet();
        });
  }

  /** Returns how many open readers have a number. */
  int size() {
    return numbers.size();
  }
}
