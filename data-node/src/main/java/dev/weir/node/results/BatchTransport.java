package dev.weir.node.results;

import java.io.IOException;
import java.util.function.Supplier;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportException;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportResponseHandler;
import org.opensearch.transport.TransportService;

/**
 * Sends the requests of a batch to this node, and the responses to the gateway, in the thread
 * context that the batch arrived with. Safe on any thread.
 */
public final class BatchTransport {
  private static final Logger LOG = LogManager.getLogger(BatchTransport.class);

  private final TransportService transport;

  /** Enters the thread context that the batch arrived with. */
  private final Supplier<ThreadContext.StoredContext> arrivalContext;

  /** Keeps the thread context of the batch, which arrives on this thread. */
  public BatchTransport(TransportService transport) {
    this.transport = transport;
    this.arrivalContext = threadContext().newRestorableContext(false);
  }

  /** Returns the context of the current thread. */
  public ThreadContext threadContext() {
    return transport.getThreadPool().getThreadContext();
  }

  /** Runs an action in the thread context that the batch arrived with. */
  @SuppressWarnings("try") // the context is only left
  public void run(Runnable action) {
    try (ThreadContext.StoredContext ignored = arrivalContext.get()) {
      action.run();
    }
  }

  /**
   * Sends a request to this node, in the context of the current thread.
   *
   * @param listener gets the response or the failure. A listener that throws may be called again
   */
  public void send(
      String action, TransportRequest request, ActionListener<TransportResponse> listener) {
    try {
      transport.sendRequest(
          transport.getLocalNode(),
          action,
          request,
          new TransportResponseHandler<TransportResponse>() {
            @Override
            public TransportResponse read(StreamInput in) throws IOException {
              throw new IOException("got bytes of a result (expected: none within a node)");
            }

            @Override
            public void handleResponse(TransportResponse response) {
              listener.onResponse(response);
            }

            @Override
            public void handleException(TransportException failure) {
              listener.onFailure(failure);
            }

            @Override
            public String executor() {
              return ThreadPool.Names.SAME;
            }
          });
    } catch (RuntimeException e) { // the other requests have begun, and need their results
      listener.onFailure(e);
    }
  }

  /** Sends a response to the gateway, or why it can't be sent. */
  public void respond(
      TransportChannel channel, TransportResponse response, ResponseHeaders headers) {
    run(() -> {
      headers.addTo(threadContext());
      try {
        channel.sendResponse(response);
      } catch (IOException | RuntimeException e) {
        sendFailure(channel, e);
      }
    });
  }

  /** Sends a failure to the gateway, in place of a response. */
  public void fail(TransportChannel channel, Exception failure) {
    run(() -> sendFailure(channel, failure));
  }

  private static void sendFailure(TransportChannel channel, Exception failure) {
    try {
      channel.sendResponse(failure);
    } catch (IOException | RuntimeException again) {
      failure.addSuppressed(again);
      LOG.warn("can't send results of a batch", failure);
    }
  }
}
