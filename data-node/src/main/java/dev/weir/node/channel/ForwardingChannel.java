package dev.weir.node.channel;

import java.io.IOException;
import java.util.Optional;
import org.opensearch.Version;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportChannel;

/**
 * Passes everything on to another channel, so that those who ask a channel for its type or its TLS
 * session get that one's answers.
 */
public abstract class ForwardingChannel implements TransportChannel {
  private static final String DIRECT = "direct";

  private final TransportChannel channel;

  /** Forwards to {@code channel}. */
  protected ForwardingChannel(TransportChannel channel) {
    this.channel = channel;
  }

  /** Returns whether a channel is that of a request that a node sends to itself. */
  public static boolean isDirect(TransportChannel channel) {
    return DIRECT.equals(channel.getChannelType());
  }

  @Override
  public void sendResponse(TransportResponse response) throws IOException {
    channel.sendResponse(response);
  }

  @Override
  public void sendResponse(Exception failure) throws IOException {
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
