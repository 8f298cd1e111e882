package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A shadow read that a node of the other cluster executes. Reports its outcome once, with the
 * copied response. Confined to its event loop.
 *
 * <pre>
 *   sent --answered, failed or cancelled--> finished
 * </pre>
 */
final class NodeShadowRead implements NodeResponseListener {
  private final ResponseCopy response;
  private final Listener listener;
  private @Nullable Runnable cancellation;
  private boolean finished;

  /** Receives the outcome, once. */
  interface Listener {
    /** The node responded; the receiver owns the copy. */
    void onResponse(ResponseCopy response);

    /**
     * There is no response.
     *
     * @param status the status that a client would get; 0 if the read was cancelled
     */
    void onFailure(int status);
  }

  NodeShadowRead(ResponseCopy response, Listener listener) {
    this.response = response;
    this.listener = listener;
  }

  /** Sends the read. Once, on its event loop. */
  void start(ShadowTarget.PassThroughSender nodes, HttpExchange request) {
    Runnable cancel = nodes.send(request, this);
    if (!finished) {
      cancellation = cancel;
    }
  }

  /** Cancels the read unless it has finished. On its event loop. */
  void cancel() {
    Runnable cancel = cancellation;
    if (!finished && cancel != null) {
      cancel.run();
      onFailure(0);
    }
  }

  @Override
  public void onHead(int status, String contentType, String coding) {
    response.setHeaders(status, contentType, coding);
  }

  @Override
  public boolean onContent(ByteBuffer part) {
    return !finished && response.append(part);
  }

  @Override
  public void onComplete() {
    if (!finished) {
      finished = true;
      listener.onResponse(response);
    }
  }

  @Override
  public void onFailure(int status) {
    if (!finished) {
      finished = true;
      response.release();
      listener.onFailure(status);
    }
  }
}
