package dev.weir.node.load;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportChannel;

/**
 * Passes a response on, after it has told that the work has ended. Everything else is the other
 * channel's, so that those who ask a channel for its type or its TLS session get its answers.
 */
final class ReportingChannel implements TransportChannel {
  private final TransportChannel channel;
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
    this.channel = channel;
    this.listener = listener;
  }

  @Override
  public void sendResponse(TransportResponse response) throws IOException {
    listener.onEnd(response);
    channel.sendResponse(response);
  }

  @Override
  public void sendResponse(Exception failure) throws IOException {
    listener.onEnd(null);
    channel.sendResponse(failure);
  }

  @Override
  public void sendResponseBatch(TransportResponse response) {
    channel.sendResponseBatch(response);
  }

  @Override
  public void sendResponseBatch(TransportResponse response, boolean last) {
    channel.sendResponseBatch(response, last);
  }

  @Override
  public void completeStream() {
    channel.completeStream();
  }

  @Override
  public boolean isCancelled() {
    return channel.isCancelled();
  }

  @Override
  public String getProfileName() {
    return channel.getProfileName();
  }

  @Override
  public String getChannelType() {
    return channel.getChannelType();
  }

  @Override
  public Version getVersion() {
    return channel.getVersion();
  }

  @Override
  public <T> Optional<T> get(String name, Class<T> type) {
    return channel.get(name, type);
  }
}
