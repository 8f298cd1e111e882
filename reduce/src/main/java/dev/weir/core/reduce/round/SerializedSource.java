package dev.weir.core.reduce.round;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * A search source in the format of the wire: serialized once and copied into each shard's request.
 * Safe on any thread: requests may leave on several event loops.
 */
final class SerializedSource {
  /** A usual source fits in; a larger one grows by an eighth at a time. */
  private static final int FIRST_BYTES = 512;

  private record SerializedForm(Version version, BytesReference bytes) {}

  private final SearchSourceBuilder source;
  private volatile @Nullable SerializedForm lastForm;

  /**
   * Wraps a source.
   *
   * @param source must not change any more
   */
  SerializedSource(SearchSourceBuilder source) {
    this.source = source;
  }

  /** Returns whether this is the same source object. */
  @SuppressWarnings("ReferenceEquality") // only then its bytes are known without comparing all
  boolean isSourceOf(@Nullable SearchSourceBuilder other) {
    return source == other;
  }

  /** Writes the bytes that the source's own {@code writeTo} would write. */
  void writeTo(StreamOutput out) throws IOException {
    bytes(out.getVersion()).writeTo(out);
  }

  /** Moves behind the same bytes; returns false, at any position, if others follow. */
  boolean tryConsume(FrameStreamInput in) throws IOException {
    SerializedForm written = lastForm;
    if (written == null
        || !written.version().equals(in.getVersion())
        || in.available() < written.bytes().length()) {
      return false;
    }
    return in.readBytesReference(written.bytes().length()).equals(written.bytes());
  }

  /** Returns the number of bytes; 0 if they can't be written, which the first request reports. */
  int length() {
    SerializedForm written = lastForm;
    try {
      return (written == null ? bytes(Version.CURRENT) : written.bytes()).length();
    } catch (IOException | RuntimeException unwritable) {
      return 0;
    }
  }

  private BytesReference bytes(Version version) throws IOException {
    SerializedForm written = lastForm;
    if (written == null || !written.version().equals(version)) {
      written = new SerializedForm(version, serialize(version));
      lastForm = written;
    }
    return written.bytes();
  }

  private BytesReference serialize(Version version) throws IOException {
    try (BytesStreamOutput bytes = new BytesStreamOutput(FIRST_BYTES)) {
      bytes.setVersion(version);
      source.writeTo(bytes);
      return bytes.copyBytes();
    }
  }
}
