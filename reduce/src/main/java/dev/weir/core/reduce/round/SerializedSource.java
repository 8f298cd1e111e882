package dev.weir.core.reduce.round;

import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

  /** One for each version of the nodes so far: a cluster has two while it is upgraded. */
  private volatile List<SerializedForm> forms = List.of();

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
    BytesReference written = find(forms, in.getVersion());
    return written != null
        && in.available() >= written.length()
        && in.readBytesReference(written.length()).equals(written);
  }

  /** Returns the number of bytes; 0 if they can't be written, which the first request reports. */
  int length() {
    List<SerializedForm> written = forms;
    try {
      return (written.isEmpty() ? bytes(Version.CURRENT) : written.getFirst().bytes()).length();
    } catch (IOException | RuntimeException unwritable) {
      return 0;
    }
  }

  private BytesReference bytes(Version version) throws IOException {
    List<SerializedForm> written = forms;
    BytesReference known = find(written, version);
    if (known != null) {
      return known;
    }
    BytesReference bytes = serialize(version);
    List<SerializedForm> all = new ArrayList<>(written);
    all.add(new SerializedForm(version, bytes));
    forms = List.copyOf(all); // another thread's form may get lost, and is made again
    return bytes;
  }

  private static @Nullable BytesReference find(List<SerializedForm> forms, Version version) {
    for (SerializedForm form : forms) {
      if (form.version().equals(version)) {
        return form.bytes();
      }
    }
    return null;
  }

  private BytesReference serialize(Version version) throws IOException {
    try (BytesStreamOutput bytes = new BytesStreamOutput(FIRST_BYTES)) {
      bytes.setVersion(version);
      source.writeTo(bytes);
      return bytes.copyBytes();
    }
  }
}
