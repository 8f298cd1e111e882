package dev.weir.node.load;

import dev.weir.node.channel.ForwardingChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportChannel;

/** Passes a response on, after it has told that the work has ended. */
final class ReportingChannel extends ForwardingChannel {
  private final EndListener listener;

  /** Handles the end of the work, on the thread that sends the response, right before it. */
  interface EndListener {
    /**
     * Handles the end; called once.
     *
     * @param response null for a failure
     */
    void onEnd(@Nullable TransportResponse response);
  }

  ReportingChannel(TransportChannel channel, EndListener listener) {
    super(channel);
    this.listener = listener;
  }

  @Override
  public void sendResponse(TransportResponse response) throws IOException {
    listener.onEnd(response);
    super.sendResponse(response);
  }

  @Override
  public void sendResponse(Exception failure) throws IOException {
    listener.onEnd(null);
    super.sendResponse(failure);
  }
}
