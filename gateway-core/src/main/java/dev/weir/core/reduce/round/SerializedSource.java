package dev.weir.core.reduce.round;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * A search's source as it goes to its shards, written once and copied into the request of each.
 * Safe on any thread: requests may leave on several event loops.
 */
final class SerializedSource {
  private record SerializedForm(Version version, BytesReference bytes) {}

  private final SearchSourceBuilder source;
  private volatile @Nullable SerializedForm lastForm;

  /**
   * Holds a source.
   *
   * @param source not changed any more
   */
  SerializedSource(SearchSourceBuilder source) {
    this.source = source;
  }

  /** Whether this is the source itself, not one like it. */
  @SuppressWarnings("ReferenceEquality") // only then its bytes are known without comparing all
  boolean isSourceOf(@Nullable SearchSourceBuilder other) {
    return source == other;
  }

  /** Writes what the source's own {@code writeTo} would write. */
  void writeTo(StreamOutput out) throws IOException {
    Version version = out.getVersion();
    SerializedForm written = lastForm;
    if (written == null || !written.version().equals(version)) {
      written = new SerializedForm(version, serialize(version));
      lastForm = written;
    }
    written.bytes().writeTo(out);
  }

  private BytesReference serialize(Version version) throws IOException {
    try (BytesStreamOutput bytes = new BytesStreamOutput()) {
      bytes.setVersion(version);
      source.writeTo(bytes);
      return bytes.copyBytes();
    }
  }
}
