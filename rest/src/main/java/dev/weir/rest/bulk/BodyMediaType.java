package dev.weir.rest.bulk;

import org.jspecify.annotations.Nullable;
import org.opensearch.core.xcontent.MediaType;

/** Reads the header {@code Content-Type} of requests. */
public final class BodyMediaType {
  private BodyMediaType() {}

  /**
   * Returns the format of a body; null if it is unknown, or the header is missing or malformed.
   * OpenSearch's parser throws on a header of semicolons alone.
   */
  public static @Nullable MediaType parse(@Nullable String contentType) {
    boolean isEmpty = contentType == null || contentType.replace(";", "").isBlank();
    return isEmpty ? null : MediaType.fromMediaType(contentType);
  }
}
