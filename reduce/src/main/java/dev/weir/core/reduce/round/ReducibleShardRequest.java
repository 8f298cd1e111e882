package dev.weir.core.reduce.round;

import dev.weir.core.coordinate.SearchWork.OpenContext;
import dev.weir.core.coordinate.batch.PartialReduction;
import dev.weir.core.coordinate.batch.ReducibleQuery;
import dev.weir.protocol.NodeCall;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.transport.TransportRequest;

/** A shard request whose result may be reduced by the node. On the wire it is like the request. */
final class ReducibleShardRequest extends TransportRequest implements ReducibleQuery {
  private final TransportRequest request;
  private final PartialReduction reduction;
  private final int shardIndex;
  private final Function<SearchPhaseResult, @Nullable OpenContext> openContext;

  /**
   * Creates the request.
   *
   * @param shardIndex the shard's place in the results of the search
   * @param openContext finds the search context that a result leaves open
   */
  ReducibleShardRequest(
      TransportRequest request,
      PartialReduction reduction,
      int shardIndex,
      Function<SearchPhaseResult, @Nullable OpenContext> openContext) {
    this.request = request;
    this.reduction = reduction;
    this.shardIndex = shardIndex;
    this.openContext = openContext;
  }

  @Override
  public PartialReduction reduction() {
    return reduction;
  }

  @Override
  public int shardIndex() {
    return shardIndex;
  }

  @Override
  public @Nullable NodeCall<?> createFreeCall(Object reply) {
    OpenContext open = reply instanceof SearchPhaseResult found ? openContext.apply(found) : null;
    return open == null ? null : open.freeCall();
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    request.setParentTask(getParentTask());
    request.writeTo(out);
  }
}
