package dev.weir.rest.estimate;

import dev.weir.model.LargeBodyCheck;
import dev.weir.model.MemoryRejection;
import dev.weir.model.NodeRequestRules;
import dev.weir.model.RequestMemory.Category;
import dev.weir.rest.bulk.BodyMediaType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.MediaType;

/**
 * Keeps bodies from nodes whose heap has no room for them once they are parsed: a node has no bound
 * of its own for that, and its process ends. Safe on any thread.
 */
public final class NodeHeapLimit {
  /** Of the smallest heap of a node: two such bodies may reach one node at once. */
  private static final double MAX_SHARE = 0.4;

  private final Supplier<NodeRequestRules> rules;

  /**
   * Creates a limit.
   *
   * @param rules the present rules of the nodes
   */
  public NodeHeapLimit(Supplier<NodeRequestRules> rules) {
    this.rules = rules;
  }

  /** Returns why a node must not parse a body; null when it may. */
  public @Nullable MemoryRejection check(ParsedBodyEstimate body) {
    return refuse(body.nodeHeapBytes());
  }

  /**
   * Returns a check by the beginning of a body, which takes the rest for the same.
   *
   * @param action the action's name in metrics and logs, for example {@code search}
   */
  public LargeBodyCheck ofBeginning(String action) {
    return (contentType, beginning, bytes) -> {
      double times = (double) bytes / Math.max(1, beginning.remaining());
      return refuse((long) (nodeHeapBytes(action, contentType, beginning) * times));
    };
  }

  private static long nodeHeapBytes(
      String action, @Nullable String contentType, ByteBuffer beginning) {
    MediaType type = BodyMediaType.parse(contentType);
    BytesReference bytes = BytesReference.fromByteBuffer(beginning.duplicate());
    return ParsedBodyEstimate.of(action, type, bytes).nodeHeapBytes();
  }

  private @Nullable MemoryRejection refuse(long bytes) {
    long most = (long) (rules.get().limits().heapBytes() * MAX_SHARE);
    return bytes <= most
        ? null
        : new MemoryRejection(
            Category.PARSED_BODY,
            bytes,
            bytes,
            most,
            "a parsed body on a node (40 % of the smallest heap of a node)",
            true,
            List.of(),
            List.of());
  }
}
