package dev.weir.node.load;

import java.util.function.LongSupplier;
import org.opensearch.index.shard.SearchOperationListener;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.tasks.Task;

/**
 * Measures work on the threads of the pools, without the time that it waited in a pool's queue.
 * Safe on any thread: each thread has its own clock.
 *
 * <p>OpenSearch tells when a search begins on its thread. It does not for reads of documents: there
 * the work began when the request arrived, or, if that is later, when its thread ended the read
 * before it. For a pool takes its tasks in turn, and a thread that ends one takes the next at once.
 */
final class WorkTimer implements SearchOperationListener {
  /** What one thread does; used by that thread alone. */
  private static final class ThreadClock {
    private boolean searching;
    private long searchStart;
    private boolean hasRead;
    private long lastReadEnd;
  }

  private final LongSupplier nanoTime;
  private final ServiceTimes times;
  private final ThreadLocal<ThreadClock> clocks = ThreadLocal.withInitial(ThreadClock::new);

  /**
   * Creates a timer.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   * @param times gets each measured time
   */
  WorkTimer(LongSupplier nanoTime, ServiceTimes times) {
    this.nanoTime = nanoTime;
    this.times = times;
  }

  long now() {
    return nanoTime.getAsLong();
  }

  @Override
  public void onPreQueryPhase(SearchContext search) {
    startSearch();
  }

  /** The fetch phase right after a query belongs to the request of the query. */
  @Override
  public void onPreFetchPhase(SearchContext search) {
    Task task = search.getTask();
    if (task != null && WorkKind.ofAction(task.getAction()) == WorkKind.FETCH) {
      startSearch();
    }
  }

  /** Starts the work of a search on this thread. */
  void startSearch() {
    ThreadClock clock = clocks.get();
    clock.searching = true;
    clock.searchStart = now();
  }

  /**
   * Ends the work of a search on the thread that did it.
   *
   * @param succeeded a failed search counts nothing
   */
  void endSearch(WorkKind kind, boolean succeeded) {
    ThreadClock clock = clocks.get();
    if (clock.searching) {
      clock.searching = false;
      if (succeeded) {
        times.add(kind, now() - clock.searchStart);
      }
    }
  }

  /**
   * Ends a read of documents on the thread that did it.
   *
   * @param arrived when the request arrived
   * @param counts false for a read that failed, or that waited for something other than a thread
   */
  void endRead(long arrived, boolean counts) {
    ThreadClock clock = clocks.get();
    long end = now();
    if (counts) {
      boolean waited = clock.hasRead && clock.lastReadEnd - arrived > 0;
      times.add(WorkKind.GET, end - (waited ? clock.lastReadEnd : arrived));
    }
    clock.hasRead = true;
    clock.lastReadEnd = end;
  }

  /** Adds the time that a primary's thread worked on a write; zero or negative if unknown. */
  void addWrite(long nanos) {
    if (nanos > 0) {
      times.add(WorkKind.WRITE, nanos);
    }
  }
}
