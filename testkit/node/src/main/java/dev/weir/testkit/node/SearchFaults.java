package dev.weir.testkit.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.opensearch.OpenSearchException;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportInterceptor;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;

/**
 * Counts the searches that reach a node and, while enabled, fails them, in the query phase or in
 * the fetch phase. Safe on any thread.
 */
final class SearchFaults implements TransportInterceptor {
  private static final String QUERY = "indices:data/read/search[phase/query]";
  private static final String BATCH = "indices:data/read/search[weir/batch]";
  private static final String FETCH = "indices:data/read/search[phase/fetch/id]";

  private final LongAdder searches = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder fetchFaults = new LongAdder();
  private final List<HeldFetch> heldFetches = new ArrayList<>();
  private volatile boolean failing;
  private volatile FetchFault fetchFault = FetchFault.PASS;

  void setFailing(boolean now) {
    failing = now;
  }

  void setFetchFault(FetchFault now) {
    List<HeldFetch> released = List.of();
    synchronized (heldFetches) {
      fetchFault = now;
      if (now != FetchFault.HOLD_REQUEST) {
        released = List.copyOf(heldFetches);
        heldFetches.clear();
      }
    }
    released.forEach(HeldFetch::process);
  }

  /** Returns whether the request is kept: {@code answer} runs later then. */
  private boolean hold(TransportChannel channel, HeldFetch.Answer answer) {
    synchronized (heldFetches) {
      return fetchFault == FetchFault.HOLD_REQUEST
          && heldFetches.add(new HeldFetch(channel, answer));
    }
  }

  /** A request that waits for its answer. */
  private record HeldFetch(TransportChannel channel, Answer answer) {
    interface Answer {
      void run() throws Exception;
    }

    void process() {
      try {
        answer.run();
      } catch (Exception e) {
        try {
          channel.sendResponse(e);
        } catch (IOException gone) {
          throw new UncheckedIOException(gone);
        }
      }
    }
  }

  /** Requests of the query phase that came so far. */
  long searches() {
    return searches.sum();
  }

  /** Those of them that were made to fail. */
  long failed() {
    return failed.sum();
  }

  /** Requests of the fetch phase that were not answered as they should have been. */
  long fetchFaults() {
    return fetchFaults.sum();
  }

  @Override
  public <T extends TransportRequest> TransportRequestHandler<T> interceptHandler(
      String action,
      String executor,
      boolean forceExecution,
      TransportRequestHandler<T> actualHandler) {
    return switch (action) {
      case QUERY -> new FaultInjectingHandler<>(actualHandler);
      case FETCH ->
          (request, channel, task) -> {
            FetchFault fault = fetchFault;
            if (fault != FetchFault.PASS) {
              fetchFaults.increment();
              fault.apply(channel);
            }
            if (hold(channel, () -> actualHandler.messageReceived(request, channel, task))) {
              return;
            }
            actualHandler.messageReceived(request, channel, task);
          };
      case BATCH ->
          (request, channel, task) -> {
            FetchFault fault = fetchFault;
            if (fault == FetchFault.CLOSE_CONNECTION && request.getDescription().contains(FETCH)) {
              // its fetches come by no connection
              fetchFaults.increment();
              fault.apply(channel);
            }
            actualHandler.messageReceived(request, channel, task);
          };
      default -> actualHandler;
    };
  }

  private final class FaultInjectingHandler<T extends TransportRequest>
      implements TransportRequestHandler<T> {
    private final TransportRequestHandler<T> actual;

    FaultInjectingHandler(TransportRequestHandler<T> actual) {
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
