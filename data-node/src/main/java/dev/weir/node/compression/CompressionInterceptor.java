package dev.weir.node.compression;

import dev.weir.node.channel.ForwardingChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.transport.TransportInterceptor;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;

/**
 * Compresses the responses to requests that came compressed. Safe on any thread.
 *
 * <p>{@link #markRequest} marks the context of such a request. The mark does not leave the node, as
 * headers do, and requests that the node sends to itself are left out. So only the one who sent the
 * compressed request gets a compressed response.
 */
final class CompressionInterceptor implements TransportInterceptor {
  private static final String MARK = "weir-zstd-request";

  /** Begins the names of actions between nodes, which gateways do not compress. */
  private static final String INTERNAL = "internal:";

  private final ThreadContext context;
  private final Set<String> actions = ConcurrentHashMap.newKeySet();

  CompressionInterceptor(ThreadContext context) {
    this.context = context;
  }

  /** Returns the names of the actions whose responses it compresses. */
  Set<String> actions() {
    return Set.copyOf(actions);
  }

  /**
   * Marks the request that is being received on this thread as one that came compressed.
   *
   * @param added counts from the start of its handler until its response
   */
  void markRequest(DecompressedBytes added) {
    if (mark() == null) {
      context.putTransient(MARK, added);
    }
  }

  private @Nullable DecompressedBytes mark() {
    return context.getTransient(MARK);
  }

  @Override
  public <T extends TransportRequest> TransportRequestHandler<T> interceptHandler(
      String action, String executor, boolean forceExecution, TransportRequestHandler<T> handler) {
    if (action.startsWith(INTERNAL)) {
      return handler;
    }
    actions.add(action);
    return (request, channel, task) -> {
      DecompressedBytes added = mark();
      if (added == null || ForwardingChannel.isDirect(channel)) {
        handler.messageReceived(request, channel, task);
        return;
      }
      CompressingChannel compressing = new CompressingChannel(channel, context, added);
      boolean isReceived = false;
      try {
        handler.messageReceived(request, compressing, task);
        isReceived = true;
      } finally {
        if (!isReceived) {
          compressing.release(); // OpenSearch sends the failure by the other channel
        }
      }
    };
  }
}
