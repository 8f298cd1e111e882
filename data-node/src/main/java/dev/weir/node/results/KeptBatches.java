package dev.weir.node.results;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.opensearch.OpenSearchException;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.threadpool.ThreadPool;

/**
 * Batches with results that nobody has asked for yet, by the ids that gateways ask with. A batch
 * that nobody asks for in time is discarded, as all are when the node closes. Safe on any thread.
 *
 * @param <B> the batch
 */
public final class KeptBatches<B> {
  /** How long results are kept for a gateway that does not ask for them. */
  private static final TimeValue MAX_UNASKED = TimeValue.timeValueSeconds(30);

  private final ThreadPool threads;
  private final Consumer<B> discarder;
  private final Map<Long, B> kept = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  /**
   * Starts without batches.
   *
   * @param discarder drops the results of a batch that nobody asks for
   */
  public KeptBatches(ThreadPool threads, Consumer<B> discarder) {
    this.threads = threads;
    this.discarder = discarder;
  }

  /**
   * Keeps a batch for a request for more results, for a while.
   *
   * @return its id
   */
  public long keep(B batch) {
    long id;
    do {
      id = ThreadLocalRandom.current().nextLong();
    } while (kept.putIfAbsent(id, batch) != null);
    long named = id;
    threads.scheduleUnlessShuttingDown(MAX_UNASKED, ThreadPool.Names.GENERIC, () -> discard(named));
    if (isClosed) {
      discard(id);
    }
    return id;
  }

  /**
   * Returns the batch with an id, and keeps it no longer.
   *
   * @throws OpenSearchException if there is none
   */
  public B take(long id) {
    B batch = kept.remove(id);
    if (batch == null) {
      throw new OpenSearchException(
          "got batch {} (expected: one with more results, asked for within {})", id, MAX_UNASKED);
    }
    return batch;
  }

  /** Drops the results of the batch with an id, if there is one. */
  public void discard(long id) {
    B unasked = kept.remove(id);
    if (unasked != null) {
      discarder.accept(unasked);
    }
  }

  /** Returns the number of batches. */
  public int size() {
    return kept.size();
  }

  /** Drops the results of all batches, those to come included. */
  public void close() {
    isClosed = true;
    List.copyOf(kept.keySet()).forEach(this::discard);
  }
}
