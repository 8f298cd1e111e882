package dev.weir.rest;

import dev.weir.model.BodySectionSplitter;
import dev.weir.model.BodyStreamingOptions;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.rest.RestUtils;

/**
 * How a large bulk is carried out while it comes.
 *
 * @param thresholdBytes bulks longer than this, bytes
 * @param sectionBytes of a part that is carried out by itself
 * @param maxBufferedBytes that the gateway holds of one bulk at once
 */
public record BulkStreamingOptions(long thresholdBytes, int sectionBytes, long maxBufferedBytes)
    implements BodyStreamingOptions {
  /** What its requests are called. */
  public static final String ACTION = "bulk";

  /**
   * Whether a bulk with these parameters can be carried out in parts: not where all of it goes
   * through an ingest pipeline, which a node runs, nor where each part would have to wait for a
   * refresh of its own.
   *
   * @param uri path and query as sent
   */
  public static boolean isSupported(String uri) {
    int query = uri.indexOf('?');
    if (query < 0) {
      return true;
    }
    Map<String, String> parameters = new HashMap<>();
    try {
      RestUtils.decodeQueryString(uri, query + 1, parameters);
    } catch (IllegalArgumentException undecodable) {
      return false;
    }
    return !parameters.containsKey("pipeline") && !"wait_for".equals(parameters.get("refresh"));
  }

  @Override
  public boolean canSplit(@Nullable String contentType) {
    return contentType != null && MediaType.fromMediaType(contentType) == XContentType.JSON;
  }

  @Override
  public BodySectionSplitter newSplitter() {
    return new BulkSectionSplitter();
  }
}
