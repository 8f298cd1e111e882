package dev.weir.core.reduce.hits;

import java.io.IOException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.FilterStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * A reply frame's input that reports no registry. OpenSearch reads some fields now and expands them
 * later ({@code DelayableWriteable}); with a registry it would wrap the slices, which know the
 * registry already, once more. A wrapped input is read byte by byte.
 */
final class DelayedReadStreamInput extends FilterStreamInput {
  DelayedReadStreamInput(StreamInput frame) {
    super(frame);
  }

  @Override
  public BytesReference readBytesReference(int length) throws IOException {
    return delegate.readBytesReference(length);
  }

  @Override
  @SuppressWarnings("NullAway") // OpenSearch takes null for: needs none
  public NamedWriteableRegistry namedWriteableRegistry() {
    return null;
  }
}
