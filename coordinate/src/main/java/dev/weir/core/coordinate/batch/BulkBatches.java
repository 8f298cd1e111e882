package dev.weir.core.coordinate.batch;

import dev.weir.cluster.capability.Capability;
import dev.weir.cluster.capability.NodeCapabilities;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.lucene.util.Accountable;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.TransportShardBulkAction;

/**
 * Collects the parts of a bulk, and sends those to one node in one message if the node announced
 * {@link Capability#BULK_BATCHES}. Confined to the event loop of the request.
 */
final class BulkBatches {
  /**
   * The documents of one message, in bytes, unless a single part is larger: a node reads a message
   * on one thread before it begins the first part.
   */
  private static final long MAX_MESSAGE_BYTES = 4 << 20;

  private final NodeCapabilities capabilities;
  private final List<BulkNodeBatch> messages = new ArrayList<>();

  /** The message to which the next part goes. */
  private final Map<MessageKey, OpenMessage> open = new HashMap<>();

  /** What the parts of one message have in common. */
  private record MessageKey(NodeClient node, Executor executor, Map<String, String> headers) {}

  private record OpenMessage(BulkNodeBatch message, long bytes) {}

  BulkBatches(NodeCapabilities capabilities) {
    this.capabilities = capabilities;
  }

  /**
   * Holds a part back until {@link #flush}, or sends another call at once. Otherwise like {@link
   * NodeClient#send}.
   */
  <R> PendingCall send(
      NodeClient node, NodeCall<R> call, Executor executor, ReplyHandler<R> handler) {
    if (!(call.payload() instanceof Accountable part)
        || !call.action().equals(TransportShardBulkAction.ACTION_NAME)
        || !call.timeout().isZero()
        || !capabilities.has(node.endpoint().id(), Capability.BULK_BATCHES)) {
      return node.send(call, executor, handler);
    }
    MessageKey key = new MessageKey(node, executor, call.headers());
    long bytes = bytesOf(part);
    OpenMessage last = open.get(key);
    if (last == null || last.bytes() + bytes > MAX_MESSAGE_BYTES) {
      last = new OpenMessage(new BulkNodeBatch(node, executor), 0);
      messages.add(last.message());
    }
    open.put(key, new OpenMessage(last.message(), last.bytes() + bytes));
    return last.message().add(call, handler);
  }

  /** As a node counts the items; its own sum takes a stream for each part. */
  private static long bytesOf(Accountable part) {
    if (!(part instanceof BulkShardRequest objects)) {
      return part.ramBytesUsed();
    }
    long bytes = 0;
    for (BulkItemRequest item : objects.items()) {
      bytes += item.ramBytesUsed();
    }
    return bytes;
  }

  /** Sends what was held back; a part that is alone goes as it is. */
  void flush() {
    List<BulkNodeBatch> sent = List.copyOf(messages);
    messages.clear();
    open.clear();
    sent.forEach(BulkNodeBatch::send);
  }
}
