package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A repeated read on its way through a node of the other cluster. Tells once how it ended, with
 * what it has copied by then. Confined to its home.
 *
 * <pre>
 *   sent --answered, broken or stopped--> over
 * </pre>
 */
final class NodeShadowRead implements NodeResponseListener {
  private final ResponseCopy response;
  private final Listener listener;
  private @Nullable Runnable cancellation;
  private boolean finished;

  /** Hears how a repeated read ended, once. */
  interface Listener {
    /** It was answered; what was copied is the hearer's. */
    void onResponse(ResponseCopy answer);

    /**
     * It was not.
     *
     * @param status that says why, as a client would be told; 0 where it was stopped
     */
    void onFailure(int status);
  }

  NodeShadowRead(ResponseCopy answer, Listener whenOver) {
    this.response = answer;
    this.listener = whenOver;
  }

  /** Sends it. Once, on its home. */
  void start(ShadowService.PassThroughSender nodes, HttpExchange request) {
    Runnable stopping = nodes.send(request, this);
    if (!finished) {
      cancellation = stopping;
    }
  }

  /** Stops it, unless it is over. On its home. */
  void cancel() {
    Runnable stopping = cancellation;
    if (!finished && stopping != null) {
      stopping.run();
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
