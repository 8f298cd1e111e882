package dev.weir.cluster.read;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * Decodes one part of a response, and returns the object of the previous response if the bytes are
 * the same. Confined to one thread.
 *
 * @param <T> the part; immutable
 */
final class ReusedPart<T> {
  private final Writeable.Reader<T> reader;
  private final SectionImage image = new SectionImage();
  private @Nullable T value;

  ReusedPart(Writeable.Reader<T> reader) {
    this.reader = reader;
  }

  /** Reads the next bytes of a response. */
  T read(ResponseInput in) throws IOException {
    T known = value;
    if (known != null && image.isNextIn(in, 0, image.length())) {
      in.skip(image.length());
      return known;
    }
    int start = in.position();
    T read = reader.read(in.stream());
    image.replace(in, start);
    value = read;
    return read;
  }
}
