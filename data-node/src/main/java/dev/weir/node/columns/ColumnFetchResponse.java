package dev.weir.node.columns;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.action.ActionResponse;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * What was fetched. On the wire: a boolean, true for columns; then the {@linkplain FetchedColumns
 * columns}, or OpenSearch's own response of the fetch phase.
 */
public final class ColumnFetchResponse extends ActionResponse {
  private final boolean hasColumns;
  private final Writeable fetched;

  ColumnFetchResponse(Writeable hits, @Nullable FetchedColumns columns) {
    this.hasColumns = columns != null;
    this.fetched = columns == null ? hits : columns;
  }

  /** Reads a response without a look at its content: only gateways ask for one. */
  ColumnFetchResponse(StreamInput in) throws IOException {
    hasColumns = in.readBoolean();
    BytesReference rest = in.readBytesReference(in.available());
    fetched = rest::writeTo;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeBoolean(hasColumns);
    fetched.writeTo(out);
  }
}
