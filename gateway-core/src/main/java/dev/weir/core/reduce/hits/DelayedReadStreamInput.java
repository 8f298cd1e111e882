package dev.weir.core.reduce.hits;

import java.io.IOException;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.FilterStreamInput;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.common.io.stream.StreamInput;

/**
 * A received frame's input that says it has no registry, for what OpenSearch reads from it now and
 * expands later ({@code DelayableWriteable}). The slices that it gives know the registry by
 * themselves, so that OpenSearch must not wrap them once more: a wrapped input is read byte by
 * byte.
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
