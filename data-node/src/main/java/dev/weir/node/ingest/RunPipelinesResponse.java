package dev.weir.node.ingest;

import java.io.IOException;
import java.util.List;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * What the pipelines made of the items. On the wire: how long they took in milliseconds as a vlong,
 * the number of items as a vint, and an {@link ItemOutcome} for each, in the order of the request.
 */
public final class RunPipelinesResponse extends ActionResponse {
  private final Writeable content;

  RunPipelinesResponse(long tookMillis, List<ItemOutcome> outcomes) {
    this.content =
        out -> {
          out.writeVLong(tookMillis);
          out.writeVInt(outcomes.size());
          for (ItemOutcome outcome : outcomes) {
            outcome.writeTo(out);
          }
        };
  }

  /** Reads a response without a look at its content: only gateways ask for one. */
  RunPipelinesResponse(StreamInput in) throws IOException {
    BytesReference bytes = in.readBytesReference(in.available());
    this.content = bytes::writeTo;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    content.writeTo(out);
  }
}
