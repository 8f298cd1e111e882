package dev.weir.rest;

import dev.weir.model.BodyCutter;
import dev.weir.model.BodyStreaming;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.xcontent.MediaType;
import org.opensearch.rest.RestUtils;

/**
 * How a large bulk is carried out while it comes.
 *
 * @param over bulks longer than this, bytes
 * @param sectionBytes of a part that is carried out by itself
 * @param windowBytes that the gateway holds of one bulk at once
 */
public record BulkStreaming(long over, int sectionBytes, long windowBytes)
    implements BodyStreaming {
  /** What its requests are called. */
  public static final String ACTION = "bulk";

  /**
   * Whether a bulk with these parameters can be carried out in parts: not where all of it goes
   * through an ingest pipeline, which a node runs, nor where each part would have to wait for a
   * refresh of its own.
   *
   * @param uri path and query as sent
   */
  public static boolean suits(String uri) {
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
  public boolean cuts(@Nullable String contentType) {
    return contentType != null && MediaType.fromMediaType(contentType) == XContentType.JSON;
  }

  @Override
  public BodyCutter cutter() {
    return new BulkCutter();
  }
}
