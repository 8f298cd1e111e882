package dev.weir.testkit.node;

import java.util.concurrent.atomic.LongAdder;
import org.opensearch.OpenSearchException;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportInterceptor;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;

/** Counts the searches that reach a node and, while told to, fails them. Safe on any thread. */
final class SearchFaults implements TransportInterceptor {
  private static final String QUERY = "indices:data/read/search[phase/query]";

  private final LongAdder searches = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private volatile boolean failing;

  void fail(boolean now) {
    failing = now;
  }

  /** Requests of the query phase that came so far. */
  long searches() {
    return searches.sum();
  }

  /** Those of them that were made to fail. */
  long failed() {
    return failed.sum();
  }

  @Override
  public <T extends TransportRequest> TransportRequestHandler<T> interceptHandler(
      String action,
      String executor,
      boolean forceExecution,
      TransportRequestHandler<T> actualHandler) {
    return action.equals(QUERY) ? new Counted<>(actualHandler) : actualHandler;
  }

  private final class Counted<T extends TransportRequest> implements TransportRequestHandler<T> {
    private final TransportRequestHandler<T> actual;

    Counted(TransportRequestHandler<T> actual) {
      this.actual = actual;
    }

    @Override
    public void messageReceived(T request, TransportChannel channel, Task task) throws Exception {
      searches.increment();
      if (failing) {
        failed.increment();
        throw new OpenSearchException("the node was told to fail every search");
      }
      actual.messageReceived(request, channel, task);
    }
  }
}
