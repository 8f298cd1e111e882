package dev.weir.node.compression;

import java.io.IOException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.transport.TransportResponse;

/** A response that is bytes already. Immutable. */
final class WrittenResponse extends TransportResponse {
  private final BytesReference bytes;
  private final int size;

  /**
   * Keeps the bytes.
   *
   * @param size of the payload before it was compressed, in bytes; 0 if it is not compressed
   */
  WrittenResponse(BytesReference bytes, int size) {
    this.bytes = bytes;
    this.size = size;
  }

  boolean isCompressed() {
    return size > 0;
  }

  int size() {
    return size;
  }

  @Override
  public void writeTo(StreamOutput out) throws IOException {
    bytes.writeTo(out);
  }
}
